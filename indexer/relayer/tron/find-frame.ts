import type { Responses } from '../../../shared/chain/nodes/node-report.ts'
import { findHeight } from '../../../shared/chain/nodes/query-height.ts'
import type { TronHead } from '../../../shared/chain/tron/read-tron.ts'
import type { TronNodes } from '../../../shared/chain/tron/tron-nodes.ts'

/** Latest blocks of a chain, as one node reports them. */
export type TronBlocks = {
  readonly head: TronHead
  /** The newest solidified block, which cannot be reorganized. */
  readonly solid: TronHead
}

/**
 * Returns the latest blocks of the node whose head is the newest that a quorum of operators has reached; `null` if too
 * few responded. Pure.
 *
 * The chain's clock (`head`) and the reference block (`solid`) come from the same node, so that they are consistent.
 * Neither a stalled node nor a node with a head in the future can determine them alone.
 */
export function findFrame(
  group: Pick<TronNodes, 'quorum' | 'getTrusted'>,
  { reports, silent }: Responses<TronBlocks>,
): TronBlocks | null {
  const clocks = reports.map((report) => ({ ...report, value: report.value.head.timestampMs }))
  const nowMs = findHeight(group, { reports: clocks, silent })
  return reports.find(({ value }) => value.head.timestampMs === nowMs)?.value ?? null
}
