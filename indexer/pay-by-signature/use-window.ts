import type { TrackingContext } from './authorization-context.ts'

/** How far one node may lag behind another, or behind a chain that was reorganized to fewer blocks. */
export const CLOCK_SKEW_MS = 60_000

/** A signature is valid for at most fifteen minutes, so the search goes back that far. */
export const LOOKBACK_MS = 900_000

/** A chain produces blocks at most this many times as fast as configured. */
const FASTER = 4

/**
 * Returns the maximum number of blocks that can contain the payment. It does not depend on the block times that a node
 * reports.
 */
export function getMaxUseBlocks({
  confirmations,
  blockTimeMs,
}: Pick<TrackingContext, 'confirmations' | 'blockTimeMs'>): number {
  return confirmations + FASTER * Math.ceil((LOOKBACK_MS + 2 * CLOCK_SKEW_MS) / blockTimeMs)
}
