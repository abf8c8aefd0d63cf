import { NoQuorumError } from './errors.ts'
import { findQuorumHeight } from './node-health.ts'
import type { Responses, Voter } from './node-report.ts'
import { queryResponsive, type VoterGroup } from './query-nodes.ts'

/**
 * Reads a number that only increases, such as a head or a nonce, from every node.
 *
 * @returns the highest number that a quorum of operators has reached
 * @throws {NoQuorumError} if too few operators responded
 */
export async function queryHeight<Node extends Voter>(
  group: VoterGroup<Node>,
  { subject, read }: { readonly subject: string; readonly read: (node: Node) => Promise<number> },
): Promise<number> {
  const responses = await queryResponsive(group, read)
  const height = findHeight(group, responses)
  if (height === null) throw new NoQuorumError(subject, responses)
  return height
}

/**
 * Returns the highest number that a quorum of operators has reached. If too few operators responded, returns the number
 * that the trusted node reported, or `null`.
 */
export function findHeight<Node extends Voter>(
  { quorum, getTrusted }: Pick<VoterGroup<Node>, 'quorum' | 'getTrusted'>,
  { reports }: Responses<number>,
): number | null {
  const heights = reports.map(({ node, operator, value }) => ({ node, operator, number: value }))
  const trusted = heights.find(({ node }) => node === getTrusted())
  return findQuorumHeight(heights, quorum) ?? trusted?.number ?? null
}
