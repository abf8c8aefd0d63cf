/** A poll interval as a number of blocks, with its bounds in milliseconds. */
export type PollBounds = { readonly blocks: number; readonly leastMs: number; readonly mostMs: number }

/** Returns the poll interval for a chain's block time. */
export function getPollIntervalMs(blockTimeMs: number, { blocks, leastMs, mostMs }: PollBounds): number {
  return Math.min(mostMs, Math.max(leastMs, Math.floor(blocks * blockTimeMs)))
}
