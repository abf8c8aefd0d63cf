/** How often a chain is polled: a number of blocks, and bounds in milliseconds. */
export type PollBounds = { readonly blocks: number; readonly leastMs: number; readonly mostMs: number }

/**
 * Returns a poll interval that follows a chain's block time. Polling more often than new blocks appear only wastes
 * requests.
 */
export function getPollIntervalMs(blockTimeMs: number, { blocks, leastMs, mostMs }: PollBounds): number {
  return Math.min(mostMs, Math.max(leastMs, Math.floor(blocks * blockTimeMs)))
}
