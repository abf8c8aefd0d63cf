/** A range of blocks; includes both ends. */
export type BlockRange = { readonly fromBlock: number; readonly toBlock: number }

/** The time to cover, up to a block. */
export type BlockHistory = { readonly block: number; readonly ageMs: number; readonly blockTimeMs: number }

/** Every public node serves the logs of this many blocks in one request. */
export const MIN_BLOCKS_PER_RANGE = 1_000
/** Most nodes reject more blocks, and one node never responds to more (see `createFilterTransport`). */
const MAX_BLOCKS_PER_RANGE = 10_000
/** Time that one range spans: a thousand blocks of two seconds. */
const SPAN_MS = 2_000_000

/**
 * Number of ranges that cover more than an hour on every network, the longest that a charge waits (specification,
 * "expiresIn").
 */
export const RANGES_PER_HOUR = 5
/** Number of ranges that cover more than 25 hours on every network, the time for which a final charge is scanned. */
export const RANGES_PER_DAY = 100

/**
 * Returns the number of blocks per request: as many as a chain makes in about half an hour, so that a search back to a
 * point in time costs as many requests on the fastest chain as on others. Between 1,000 and 10,000.
 */
export function getBlocksPerRange(blockTimeMs: number): number {
  const spanned = Math.floor(SPAN_MS / blockTimeMs)
  return Math.min(MAX_BLOCKS_PER_RANGE, Math.max(MIN_BLOCKS_PER_RANGE, spanned))
}

/**
 * Returns the block ranges that cover everything since a point in time, newest first, at most `maxRanges`, and whether
 * they cover all of it. Pure.
 *
 * The ranges cover twice the expected number of blocks, because blocks may come faster than configured.
 *
 * @param life.block - newest block to read
 */
export function listRangesSince(
  { block, ageMs, blockTimeMs }: BlockHistory,
  { maxRanges, blocks }: { readonly maxRanges: number; readonly blocks: number },
): { readonly ranges: readonly BlockRange[]; readonly isComplete: boolean } {
  const firstBlock = Math.max(0, block - Math.ceil((2 * ageMs) / blockTimeMs) - 100)
  const count = Math.ceil((block - firstBlock + 1) / blocks)
  const ranges = Array.from({ length: Math.min(count, maxRanges) }, (_, n) => {
    const toBlock = block - n * blocks
    return { fromBlock: Math.max(firstBlock, toBlock - blocks + 1), toBlock }
  })
  return { ranges, isComplete: count <= maxRanges }
}
