import type { Hex } from '../../domain/address.ts'
import type { TronNode } from './tron-node.ts'

/** What a node said to a transaction that it was offered: it has it, it will not have it, or nothing of use. */
export type TronOffer = { readonly outcome: 'taken' | 'refused' | 'unknown'; readonly code: string }

/** That it was sent before is as good as that it is taken now: the bytes are the same. */
const TAKEN = new Set(['SUCCESS', 'DUP_TRANSACTION_ERROR'])

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
  if (TAKEN.has(code)) return { outcome: 'taken', code }
  return { outcome: REFUSED.has(code) ? 'refused' : 'unknown', code }
}
