import type { Hex } from '../../domain/address.ts'
import type { TronNode } from './tron-node.ts'

/** A node's response to a transaction: accepted, seen before, refused, or nothing of use. */
export type TronOffer = { readonly outcome: 'taken' | 'known' | 'refused' | 'unknown'; readonly code: string }

/**
 * The node has seen these bytes before, which does not say that it holds them: with `node.rpc.trxCacheEnable` it stores
 * the id before it validates the transaction, and gives this code from then on for one that it refused
 * (java-tron, `Wallet.broadcastTransaction`).
 */
const KNOWN = 'DUP_TRANSACTION_ERROR'

/** About the transaction, and not about the node. Source: tronprotocol/protocol, api.proto, `Return.response_code`. */
const REFUSED = new Set([
  ...['SIGERROR', 'CONTRACT_VALIDATE_ERROR', 'CONTRACT_EXE_ERROR', 'BANDWITH_ERROR', 'TAPOS_ERROR'],
  ...['TOO_BIG_TRANSACTION_ERROR', 'TRANSACTION_EXPIRATION_ERROR'],
])

/**
 * Offers a signed transaction to one node, which at best takes it into its pool and may forget it there.
 *
 * By `broadcasthex`, for `broadcasttransaction` writes the bytes anew out of JSON.
 *
 * @throws {TronNodeError} if the node does not answer
 */
export async function broadcastTron(node: TronNode, signedTransaction: Hex): Promise<TronOffer> {
  const answer = await node.ask('wallet/broadcasthex', { transaction: signedTransaction.slice(2) })
  const code = answer['result'] === true ? 'SUCCESS' : String(answer['code']).slice(0, 50)
  if (code === 'SUCCESS') return { outcome: 'taken', code }
  if (code === KNOWN) return { outcome: 'known', code }
  return { outcome: REFUSED.has(code) ? 'refused' : 'unknown', code }
}
