import type { FollowContext } from './authorization-context.ts'

/** How far one node may lag behind another, or behind a chain that was reorganized to fewer blocks. */
export const MARGIN_MS = 60_000

/** A signature is valid for at most fifteen minutes, so the search goes back that far. */
export const LOOK_BACK_MS = 900_000

/** A chain produces blocks at most this many times as fast as configured. */
const FASTER = 4

/**
 * Returns the maximum number of blocks that can contain the payment. It does not depend on the block times that a node
 * reports.
 */
export function mostBlocksOfUse({
  confirmations,
  blockTimeMs,
}: Pick<FollowContext, 'confirmations' | 'blockTimeMs'>): number {
  return confirmations + FASTER * Math.ceil((LOOK_BACK_MS + 2 * MARGIN_MS) / blockTimeMs)
}
