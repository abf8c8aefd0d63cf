import { type AuthorizationOfPayer, isAuthorizationSpent } from '../../shared/chain/authorization-use.ts'
import type { ChainClient } from '../../shared/chain/client.ts'
import { findLastBlockBefore } from '../../shared/chain/find-last-block-before.ts'
import { queryDeepBlock } from '../../shared/chain/nodes/query-deep-block.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import type { FollowContext } from './authorization-context.ts'

type Window = AuthorizationOfPayer & { readonly validBefore: number }

/**
 * Whether an authorization can never be carried out any more, and has not been: its window is past at confirmation
 * depth, and its nonce was unused at the end of it. One block decides that, whatever the payer does afterwards.
 *
 * **Here a payer could be asked to pay twice.** The block at depth and the unused nonce each need a quorum.
 *
 * @throws {AppError} `rpc_unavailable` if no quorum shows the block at depth
 */
export async function isWorthless(
  { chain, clock, confirmations, blockTimeMs }: Omit<FollowContext, 'sql' | 'account' | 'log' | 'metrics'>,
  authorization: Window,
): Promise<boolean> {
  // Chains do not run ahead of our clock by more than seconds: before it is past here, no node need be asked.
  if (clock().getTime() / 1000 < authorization.validBefore) return false
  const { block: deep } = await queryDeepBlock(chain, { confirmations, blockTimeMs })
  if (deep === null || deep.value.timestamp < authorization.validBefore) return false
  const verdict = await queryQuorum(chain, {
    read: ({ client }) => wasSpent(client, authorization, deep.value.number),
    toText: String,
  })
  return verdict.outcome === 'agreed' && !verdict.agreed.value
}

/**
 * Whether the nonce was spent by the end of the window. The token requires a block earlier than `validBefore`, so every
 * block that could contain the payment is at or below the deep one. If the nonce is spent there, the last block of the
 * window tells whether that was in time: a cancellation after it has paid no more than an unused nonce.
 */
async function wasSpent(
  client: ChainClient,
  { validBefore, ...authorization }: Window,
  deepNumber: number,
): Promise<boolean> {
  const deep = BigInt(deepNumber)
  if (!(await isAuthorizationSpent(client, authorization, deep))) return false
  const lastOfWindow = await findLastBlockBefore(client, { moment: validBefore, below: deep })
  return isAuthorizationSpent(client, authorization, lastOfWindow)
}
