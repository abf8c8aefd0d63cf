import type { TrackingContext } from './authorization-context.ts'

/** Assumed maximum time by which a node lags behind another, or by which a reorganization sets a chain back. */
export const CLOCK_SKEW_MS = 60_000

/** Time before the head that the search for a nonce's use covers. A signature is valid for at most 15 minutes. */
export const LOOKBACK_MS = 900_000

/** Assumed maximum ratio of a chain's actual block rate to the configured rate. */
const FASTER = 4

/**
 * Returns the maximum number of blocks that can contain the payment. It does not use block times that a node reports,
 * because they might be false.
 */
export function getMaxUseBlocks({
  confirmations,
  blockTimeMs,
}: Pick<TrackingContext, 'confirmations' | 'blockTimeMs'>): number {
  return confirmations + FASTER * Math.ceil((LOOKBACK_MS + 2 * CLOCK_SKEW_MS) / blockTimeMs)
}
