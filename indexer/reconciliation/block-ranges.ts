/** Includes both ends. */
export type BlockRange = { readonly fromBlock: number; readonly toBlock: number }

/** A period of `ageMs` that ends at a block. */
export type BlockHistory = { readonly block: number; readonly ageMs: number; readonly blockTimeMs: number }

/** Minimum blocks per request. Every public node serves the logs of this many blocks. */
export const MIN_BLOCKS_PER_RANGE = 1_000
/**
 * Maximum blocks per request. Most nodes reject a request for more, and one node never responds to it (see
 * `NORMALIZERS_BY_FAMILY`).
 */
const MAX_BLOCKS_PER_RANGE = 10_000
/** Duration of a range: a thousand blocks of two seconds. */
const SPAN_MS = 2_000_000

/**
 * Number of ranges that cover more than an hour on every network. A charge stays open for at most an hour
 * (specification, "expiresIn").
 */
export const RANGES_PER_HOUR = 5
/** Number of ranges that cover more than 25 hours (`SCANNED_MS`) on every network. */
export const RANGES_PER_DAY = 100

/**
 * Returns the number of blocks per request, from 1,000 to 10,000: about as many as a chain makes in half an hour, so
 * that a search on a fast chain does not need many more requests.
 */
export function getBlocksPerRange(blockTimeMs: number): number {
  const spanned = Math.floor(SPAN_MS / blockTimeMs)
  return Math.min(MAX_BLOCKS_PER_RANGE, Math.max(MIN_BLOCKS_PER_RANGE, spanned))
}

/**
 * Returns at most `maxRanges` block ranges that cover the period, newest first, and whether they cover all of it. Pure.
 *
 * A complete list covers twice the expected number of blocks, because blocks may come faster than configured.
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
