import type { NodeName } from '../../domain/node-config.ts'
import type { Operator, Voter } from './node-report.ts'

/** A node that failed is asked after the others for this long. */
const FAILED_FOR_MS = 60_000
/** A node behind the quorum's head by more than this many block times, and at least so long, has stopped. */
const STOPPED_AFTER = { blocks: 20, atLeastMs: 60_000 }

/** Which nodes of a chain responded last; it only decides which are asked first, and waited for. */
export type NodeHealth = {
  readonly noteResponse: (name: NodeName) => void
  readonly noteFailure: (name: NodeName) => void
  /** Whether the last request to a node failed, less than a minute ago. */
  readonly hasFailed: (node: Voter) => boolean
  /** Returns the nodes that failed lately after the others. */
  readonly inOrder: <Node extends Voter>(nodes: readonly Node[]) => readonly Node[]
}

/** Creates the memory of one chain's nodes. */
export function createNodeHealth(nowMs: () => number = () => performance.now()): NodeHealth {
  const failedAt = new Map<NodeName, number>()
  const hasFailed = ({ name }: Voter) => nowMs() - (failedAt.get(name) ?? -FAILED_FOR_MS) < FAILED_FOR_MS
  return {
    noteResponse: (name) => failedAt.delete(name),
    noteFailure: (name) => failedAt.set(name, nowMs()),
    hasFailed,
    inOrder: (nodes) => [...nodes.filter((node) => !hasFailed(node)), ...nodes.filter(hasFailed)],
  }
}

/** Last block of a chain as one node has it. */
export type HeadReport = {
  readonly node: NodeName
  readonly operator: Operator
  readonly number: number
  readonly timestampMs: number
}

/**
 * Returns the highest block number that a quorum of operators has reached; `null` if too few responded. Pure.
 *
 * An operator has reached what its highest node has. A node that invents a higher head moves nothing by itself.
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
 * Returns the nodes that have stopped: their head is older than the quorum's by more than 20 block times, and more than
 * a minute. Pure. The only definition of a stopped node; a silent node is not among the heads at all.
 */
export function findStopped(
  heads: readonly HeadReport[],
  { quorum, blockTimeMs }: { readonly quorum: number; readonly blockTimeMs: number },
): readonly NodeName[] {
  const height = findQuorumHeight(heads, quorum)
  const reached = heads.filter(({ number }) => height !== null && number >= height)
  if (reached.length === 0) return []
  // The oldest of those at the quorum's height: a node that dates its head into the future must not stop the others.
  const timeMs = Math.min(...reached.map(({ timestampMs }) => timestampMs))
  const boundMs = Math.max(STOPPED_AFTER.blocks * blockTimeMs, STOPPED_AFTER.atLeastMs)
  return heads.filter((head) => timeMs - head.timestampMs > boundMs).map(({ node }) => node)
}
