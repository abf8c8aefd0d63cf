import {
  type AuthorizedPayment,
  findAuthorizationUse,
  type UseRange,
} from '../../shared/chain/authorization-use.ts'
import type { ChainClient } from '../../shared/chain/client.ts'
import { depth } from '../../shared/domain/transfer.ts'
import { askEveryNode, type Word } from './ask-every-node.ts'
import type { FollowContext } from './authorization-context.ts'

/**
 * Tells whether an authorization's nonce was spent for something else, at depth, so that it pays nothing any more.
 *
 * **Here a payer could be asked to pay twice**, as in `isWorthless`: every node that answers and goes on must show it.
 *
 * @throws {BaseError} viem's, if no node answers
 */
export async function isSpentOtherwise(
  context: Pick<FollowContext, 'nodes' | 'confirmations' | 'clock'>,
  payment: AuthorizedPayment,
  range: Omit<UseRange, 'head'>,
): Promise<boolean> {
  const ask = async (node: ChainClient): Promise<Word<boolean>> => {
    const { number, timestamp } = await node.getBlock()
    const head = Number(number)
    const use = await findAuthorizationUse(node, payment, { ...range, head })
    const said =
      use !== null && !use.isPayment && depth({ head, block: use.blockNumber }) >= context.confirmations
    return { headTimestamp: Number(timestamp), said }
  }
  return (await askEveryNode(context, ask)).every((isOver) => isOver)
}
