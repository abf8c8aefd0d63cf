/** How often something is looked at on a chain: a share of its block time, between two bounds, in milliseconds. */
export type Pace = { readonly blocks: number; readonly leastMs: number; readonly mostMs: number }

/**
 * Answers a rest between looks that follows a chain's block time: what has no new block has nothing new to say, and
 * every look is a request.
 */
export function paced(blockTimeMs: number, { blocks, leastMs, mostMs }: Pace): number {
  return Math.min(mostMs, Math.max(leastMs, Math.floor(blocks * blockTimeMs)))
}
