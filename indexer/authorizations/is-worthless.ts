import { type AuthorizationOfPayer, isAuthorizationSpent } from '../../shared/chain/authorization-use.ts'
import type { ChainClient } from '../../shared/chain/client.ts'
import { findLastBlockBefore } from '../../shared/chain/find-last-block-before.ts'
import { askEveryNode, type Word } from './ask-every-node.ts'
import type { FollowContext } from './authorization-context.ts'

type Asked = {
  readonly authorization: AuthorizationOfPayer & { readonly validBefore: number }
  readonly confirmations: number
}

/**
 * Tells whether an authorization can never be carried out any more, and has not been: its window is past at confirmation
 * depth, and its nonce was unused at the end of it. That is decided by one block for ever, whatever its payer does afterwards.
 *
 * **Here a payer could be asked to pay twice.** Every node that answers and goes on must say both, and one must.
 *
 * @throws {BaseError} viem's, if no node answers
 */
export async function isWorthless(
  context: Pick<FollowContext, 'nodes' | 'confirmations' | 'clock'>,
  authorization: Asked['authorization'],
): Promise<boolean> {
  // Chains do not run ahead of our clock by more than seconds: before it is past here, no node need be asked.
  if (context.clock().getTime() / 1000 < authorization.validBefore) return false
  const { confirmations } = context
  const said = await askEveryNode(context, (node) => ask(node, { authorization, confirmations }))
  return said.every((isOver) => isOver)
}

/**
 * The token wants a block earlier than `validBefore`, so every block that could have it stands below the deep one. The state
 * is asked of that very head, for what answers "latest" may be another node, and behind. Of a nonce that is spent there, the
 * last block of its window tells whether it was in time: canceled later, it has paid no more than one that is not.
 */
async function ask(node: ChainClient, { authorization, confirmations }: Asked): Promise<Word<boolean>> {
  const head = await node.getBlock()
  const headTimestamp = Number(head.timestamp)
  const deepNumber = head.number - BigInt(confirmations) + 1n
  const deep = deepNumber < 0n ? null : await node.getBlock({ blockNumber: deepNumber })
  if (deep === null || Number(deep.timestamp) < authorization.validBefore)
    return { headTimestamp, said: false }
  const isSpentAt = (block: bigint) => isAuthorizationSpent(node, authorization, block)
  const lastOfWindow = () =>
    findLastBlockBefore(node, { moment: authorization.validBefore, below: deep.number })
  const isSpent = (await isSpentAt(head.number)) && (await isSpentAt(await lastOfWindow()))
  return { headTimestamp, said: !isSpent }
}
