import type { ChainClient } from './client.ts'

/**
 * Asks every node of a chain the same, and answers what those say that answer; at least one.
 *
 * @throws {BaseError} viem's, if no node answers
 */
export async function askNodes<Said>(
  nodes: readonly ChainClient[],
  ask: (node: ChainClient) => Promise<Said>,
): Promise<readonly Said[]> {
  const answers = await Promise.allSettled(nodes.map(ask))
  const said = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  if (said.length === 0) throw answers.find((answer) => answer.status === 'rejected')?.reason
  return said
}
