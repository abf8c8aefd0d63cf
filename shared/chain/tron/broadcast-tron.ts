import type { Hex } from '../../domain/address.ts'
import type { TronNode } from './tron-node.ts'

/**
 * A node's response to a transaction: `taken` if accepted, `known` if seen before, `refused` if the transaction is at
 * fault, `unknown` for any other error.
 */
export type TronBroadcastResult = {
  readonly outcome: 'taken' | 'known' | 'refused' | 'unknown'
  readonly code: string
}

/**
 * Error code for bytes that the node has seen before. The node might not have the transaction any longer. With
 * `node.rpc.trxCacheEnable`, it stores the id before the validation, and then returns this code even for a transaction
 * that it rejected (java-tron, `Wallet.broadcastTransaction`).
 */
const KNOWN = 'DUP_TRANSACTION_ERROR'

/**
 * Error codes that concern the transaction, not the node. Source: tronprotocol/protocol, api.proto,
 * `Return.response_code`.
 */
const REJECTED = new Set([
  ...['SIGERROR', 'CONTRACT_VALIDATE_ERROR', 'CONTRACT_EXE_ERROR', 'BANDWITH_ERROR', 'TAPOS_ERROR'],
  ...['TOO_BIG_TRANSACTION_ERROR', 'TRANSACTION_EXPIRATION_ERROR'],
])

/**
 * Broadcasts a signed transaction to one node. The node may later drop a transaction that it accepted.
 *
 * Uses `broadcasthex`, because `broadcasttransaction` encodes the bytes again from JSON.
 *
 * @throws {TronNodeError} if the node does not respond
 */
export async function broadcastTron(node: TronNode, signedTransaction: Hex): Promise<TronBroadcastResult> {
  const answer = await node.ask('wallet/broadcasthex', { transaction: signedTransaction.slice(2) })
  const code = answer['result'] === true ? 'SUCCESS' : String(answer['code']).slice(0, 50)
  if (code === 'SUCCESS') return { outcome: 'taken', code }
  if (code === KNOWN) return { outcome: 'known', code }
  return { outcome: REJECTED.has(code) ? 'refused' : 'unknown', code }
}
