/** Blocks of a chain, both ends included. */
export type BlockRange = { readonly fromBlock: number; readonly toBlock: number }

/** Blocks of one request: public nodes answer logs of a thousand and more. */
const BLOCKS_PER_RANGE = 1000

/**
 * Answers the ranges of blocks in which everything since a moment lies, newest first, and whether they are all: at most
 * `maxRanges`. Pure.
 *
 * Blocks may come faster than they should: twice as many are read as there should be.
 *
 * @param life.block - the newest to be read
 */
export function rangesSince(
  life: { readonly block: number; readonly ageMs: number; readonly blockTimeMs: number },
  maxRanges: number,
): { readonly ranges: readonly BlockRange[]; readonly isComplete: boolean } {
  const { block, ageMs, blockTimeMs } = life
  const firstBlock = Math.max(0, block - Math.ceil((2 * ageMs) / blockTimeMs) - 100)
  const count = Math.ceil((block - firstBlock + 1) / BLOCKS_PER_RANGE)
  const ranges = Array.from({ length: Math.min(count, maxRanges) }, (_, n) => {
    const toBlock = block - n * BLOCKS_PER_RANGE
    return { fromBlock: Math.max(firstBlock, toBlock - BLOCKS_PER_RANGE + 1), toBlock }
  })
  return { ranges, isComplete: count <= maxRanges }
}
