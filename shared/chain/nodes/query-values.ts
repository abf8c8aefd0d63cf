import { NoQuorumError } from './errors.ts'
import type { Voter } from './node-report.ts'
import { queryResponsive, type VoterGroup } from './query-nodes.ts'

/**
 * Reads a value from every node, without a quorum. Use only for values with which a node cannot harm us, such as prices
 * that our own limits cap.
 *
 * @returns the values of the nodes that responded; never empty
 * @throws {NoQuorumError} if no node responds
 */
export async function queryValues<Node extends Voter, T>(
  group: VoterGroup<Node>,
  { subject, read }: { readonly subject: string; readonly read: (node: Node) => Promise<T> },
): Promise<readonly T[]> {
  const responses = await queryResponsive(group, read)
  if (responses.reports.length === 0) throw new NoQuorumError(subject, responses)
  return responses.reports.map(({ value }) => value)
}
