import type { AuthorizationUse } from '../../shared/chain/authorization-use.ts'
import type { ChainClient } from '../../shared/chain/client.ts'
import type { AuthorizationUnderWay } from '../../shared/db/authorizations/daemon/authorizations.ts'
import { depth } from '../../shared/domain/transfer.ts'
import { askEveryNode, type Word } from './ask-every-node.ts'
import type { FollowContext } from './authorization-context.ts'
import { findUse } from './find-use.ts'

/** What one node shows; its depth by that node's own head. */
type SeenUse = AuthorizationUse & { readonly depth: number }

/**
 * Tells whether every node that answers and goes on shows such a use of an authorization's nonce, so that it is over.
 *
 * **Here a payer could be asked to pay twice**, as in `isWorthless`: what is over keeps its charge from nobody.
 *
 * @throws {BaseError} viem's, if no node answers
 */
export async function doesEveryNodeShow(
  context: FollowContext,
  authorization: AuthorizationUnderWay,
  isSought: (use: SeenUse) => boolean,
): Promise<boolean> {
  const ask = async (node: ChainClient): Promise<Word<boolean>> => {
    const { number, timestamp } = await node.getBlock()
    const head = Number(number)
    const use = await findUse({ ...context, client: node }, authorization, head)
    const said = use !== null && isSought({ ...use, depth: depth({ head, block: use.blockNumber }) })
    return { headTimestamp: Number(timestamp), said }
  }
  return (await askEveryNode(context, ask)).every((isShown) => isShown)
}
