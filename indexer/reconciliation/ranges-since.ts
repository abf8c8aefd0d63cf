/** Blocks of a chain, both ends included. */
export type BlockRange = { readonly fromBlock: number; readonly toBlock: number }

/** What a chain has made since a moment, up to a block. */
export type Life = { readonly block: number; readonly ageMs: number; readonly blockTimeMs: number }

/** Every public node answers logs of so many blocks. */
export const LEAST_BLOCKS_PER_RANGE = 1_000
/** More are refused by most, and never answered by one (see `filteringTransport`). */
const MOST_BLOCKS_PER_RANGE = 10_000
/** What a range spans of a chain's time: a thousand blocks of two seconds. */
const SPAN_MS = 2_000_000

/** Ranges that reach back over an hour on every network, the longest that a charge waits (specification, "expiresIn"). */
export const RANGES_OF_AN_HOUR = 5
/** Ranges that reach back over a day and an hour on every network, as long as a charge that is final is looked at. */
export const RANGES_OF_A_DAY = 100

/**
 * Answers how many blocks are asked for at once: as many as a chain makes in some half an hour, so that a moment is as
 * many requests away on the quickest chain as on others. A thousand at least, ten thousand at most.
 */
export function blocksPerRange(blockTimeMs: number): number {
  const spanned = Math.floor(SPAN_MS / blockTimeMs)
  return Math.min(MOST_BLOCKS_PER_RANGE, Math.max(LEAST_BLOCKS_PER_RANGE, spanned))
}

/**
 * Answers the ranges of blocks in which everything since a moment lies, newest first, and whether they are all: at most
 * `maxRanges`. Pure.
 *
 * Blocks may come faster than they should: twice as many are read as there should be.
 *
 * @param life.block - the newest to be read
 */
export function rangesSince(
  { block, ageMs, blockTimeMs }: Life,
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
