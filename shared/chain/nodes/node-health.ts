import type { NodeName } from '../../domain/node-config.ts'
import type { Operator, Voter } from './node-report.ts'

/** Time for which a failed node is queried after the others. */
const FAILED_FOR_MS = 60_000
/**
 * A node is stalled if its head is older than the quorum's head by more than this many block times and by more than
 * this duration.
 */
const STOPPED_AFTER = { blocks: 20, atLeastMs: 60_000 }

/**
 * Record of the nodes of a chain that have failed recently. It determines only the order in which nodes are queried,
 * and which nodes a query waits for.
 */
export type NodeHealth = ReturnType<typeof createNodeHealth>

export function createNodeHealth(nowMs: () => number = () => performance.now()) {
  const failedAt = new Map<NodeName, number>()
  const hasFailed = ({ name }: Voter) => nowMs() - (failedAt.get(name) ?? -FAILED_FOR_MS) < FAILED_FOR_MS
  return {
    noteResponse: (name: NodeName) => failedAt.delete(name),
    noteFailure: (name: NodeName) => failedAt.set(name, nowMs()),
    /** Whether the last request to a node failed, and did so less than a minute ago. */
    hasFailed,
    /** Returns the nodes, with recently failed nodes at the end. */
    inOrder: <Node extends Voter>(nodes: readonly Node[]) => [
      ...nodes.filter((node) => !hasFailed(node)),
      ...nodes.filter(hasFailed),
    ],
  }
}

/** The last block of a chain according to one node. */
export type HeadReport = {
  readonly node: NodeName
  readonly operator: Operator
  readonly number: number
  readonly timestampMs: number
}

/**
 * Returns the highest block number that a quorum of operators has reached; `null` if too few responded. For each
 * operator, the node with the highest block counts. Pure.
 */
export function findQuorumHeight(
  heads: readonly Omit<HeadReport, 'timestampMs'>[],
  quorum: number,
): number | null {
  const byOperator = new Map<Operator, number>()
  for (const { operator, number } of heads)
    byOperator.set(operator, Math.max(number, byOperator.get(operator) ?? 0))
  return [...byOperator.values()].toSorted((a, b) => b - a)[quorum - 1] ?? null
}

/**
 * Returns the stalled nodes, whose head is older than the quorum's head by more than 20 block times and by more than a
 * minute. A silent node has no head and is never included. Pure.
 */
export function findStalled(
  heads: readonly HeadReport[],
  { quorum, blockTimeMs }: { readonly quorum: number; readonly blockTimeMs: number },
): readonly NodeName[] {
  const height = findQuorumHeight(heads, quorum)
  const reached = heads.filter(({ number }) => height !== null && number >= height)
  if (reached.length === 0) return []
  // Uses the earliest time among the heads at or above the quorum's height, so that a node with a time in the future
  // cannot make the others count as stalled.
  const timeMs = Math.min(...reached.map(({ timestampMs }) => timestampMs))
  const boundMs = Math.max(STOPPED_AFTER.blocks * blockTimeMs, STOPPED_AFTER.atLeastMs)
  return heads.filter((head) => timeMs - head.timestampMs > boundMs).map(({ node }) => node)
}
