import type { Responses } from '../../../shared/chain/nodes/node-report.ts'
import { findHeight } from '../../../shared/chain/nodes/query-height.ts'
import type { TronHead } from '../../../shared/chain/tron/read-tron.ts'
import type { TronNodes } from '../../../shared/chain/tron/tron-nodes.ts'

/** Last blocks of a chain, as one node has them. */
export type TronBlocks = {
  readonly head: TronHead
  /** The newest block that nothing takes back. */
  readonly solid: TronHead
}

/**
 * Returns the blocks of the node whose head is the newest that a quorum of operators has reached; `null` if too few
 * responded. Pure.
 *
 * Clock and reference block belong together, so they come from one node. A node that has stopped, or dates its head into
 * the future, decides neither by itself.
 */
export function findFrame(
  group: Pick<TronNodes, 'quorum' | 'getTrusted'>,
  { reports, silent }: Responses<TronBlocks>,
): TronBlocks | null {
  const clocks = reports.map((report) => ({ ...report, value: report.value.head.timestampMs }))
  const nowMs = findHeight(group, { reports: clocks, silent })
  return reports.find(({ value }) => value.head.timestampMs === nowMs)?.value ?? null
}
