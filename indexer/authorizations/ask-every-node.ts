import { askNodes } from '../../shared/chain/ask-nodes.ts'
import type { ChainClient } from '../../shared/chain/client.ts'
import type { FollowContext } from './authorization-context.ts'

/** A node whose head is older is left out, as reconciliation leaves it out, unless all are. */
export const STOPPED_SECONDS = 600

/** What one node says, at its own newest block. */
export type Word<Said> = { readonly headTimestamp: number; readonly said: Said }

/**
 * Asks every node of a chain the same, and answers what those say that go on; at least one.
 *
 * By one node's word nothing is over that may still pay: what follows from it is that a payer is asked again.
 *
 * @throws {BaseError} viem's, if no node answers
 */
export async function askEveryNode<Said>(
  { nodes, clock }: Pick<FollowContext, 'nodes' | 'clock'>,
  ask: (node: ChainClient) => Promise<Word<Said>>,
): Promise<readonly Said[]> {
  const words = await askNodes(nodes, ask)
  const oldest = clock().getTime() / 1000 - STOPPED_SECONDS
  const going = words.filter(({ headTimestamp }) => headTimestamp > oldest)
  return (going.length > 0 ? going : words).map(({ said }) => said)
}
