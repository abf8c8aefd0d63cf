import { type AuthorizationId, isNonceUsed } from '../../shared/chain/eip3009/authorization-use.ts'
import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import { findLastBlockBefore } from '../../shared/chain/nodes/find-last-block-before.ts'
import { queryConfirmedHead } from '../../shared/chain/nodes/query-confirmed-head.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import type { TrackingContext } from './authorization-context.ts'

type Window = AuthorizationId & { readonly validBefore: number }

/**
 * Returns whether an authorization was not executed and can no longer be executed: its window is over at confirmation
 * depth, and its nonce was unused at the end of the window. Later actions of the payer do not matter.
 *
 * **If this result is wrong, a payer might be asked to pay twice.** The block at confirmation depth and the unused
 * nonce each need a quorum.
 *
 * @throws {AppError} `rpc_unavailable` if no quorum shows the block at confirmation depth
 */
export async function isExpiredUnused(
  { chain, clock, confirmations, blockTimeMs }: Omit<TrackingContext, 'sql' | 'account' | 'log' | 'metrics'>,
  authorization: Window,
): Promise<boolean> {
  // A chain's time is at most a few seconds ahead of our clock, so no node is queried while our clock shows an open
  // window.
  if (clock().getTime() / 1000 < authorization.validBefore) return false
  const { block: deep } = await queryConfirmedHead(chain, { confirmations, blockTimeMs })
  if (deep === null || deep.value.timestamp < authorization.validBefore) return false
  const verdict = await queryQuorum(chain, {
    read: ({ client }) => wasSpent(client, authorization, deep.value.number),
    toText: String,
  })
  return verdict.outcome === 'agreed' && !verdict.agreed.value
}

/**
 * Returns whether the nonce was used by the end of the window. The token accepts the payment only in a block with a
 * time before `validBefore`, so every block that could contain the payment is at or below the block at confirmation
 * depth. If the nonce is used at that block, the last block of the window shows whether it was used in time. A nonce
 * that was canceled after the window has paid nothing, like an unused nonce.
 */
async function wasSpent(
  client: ChainClient,
  { validBefore, ...authorization }: Window,
  confirmedHeadNumber: number,
): Promise<boolean> {
  const deep = BigInt(confirmedHeadNumber)
  if (!(await isNonceUsed(client, authorization, deep))) return false
  const lastOfWindow = await findLastBlockBefore(client, { moment: validBefore, below: deep })
  return isNonceUsed(client, authorization, lastOfWindow)
}
