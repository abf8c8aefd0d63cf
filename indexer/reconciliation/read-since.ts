import {
  type BlockHistory,
  type BlockRange,
  getBlocksPerRange,
  listRangesSince,
  MIN_BLOCKS_PER_RANGE,
} from './block-ranges.ts'

type Reading<Answer> = {
  readonly life: BlockHistory
  readonly maxRanges: number
  readonly read: (range: BlockRange) => Promise<Answer>
}

/**
 * Reads the blocks of a period in at most `maxRanges` ranges, newest first, one after the other.
 *
 * If a read fails, a node might not serve ranges of this size. The reading then starts over in ranges of 1,000 blocks,
 * which together reach back less far on a fast chain.
 *
 * @returns the result of each range, and whether the ranges cover the whole period
 * @throws {Error} the error of reading a range of 1,000 blocks
 */
export async function readSince<Answer>(
  reading: Reading<Answer>,
): Promise<{ readonly answers: readonly Answer[]; readonly isComplete: boolean }> {
  const blocks = getBlocksPerRange(reading.life.blockTimeMs)
  try {
    return await readBy(blocks, reading)
  } catch (error) {
    if (blocks === MIN_BLOCKS_PER_RANGE) throw error
    return readBy(MIN_BLOCKS_PER_RANGE, reading)
  }
}

async function readBy<Answer>(blocks: number, { life, maxRanges, read }: Reading<Answer>) {
  const { ranges, isComplete } = listRangesSince(life, { maxRanges, blocks })
  const answers: Answer[] = []
  for (const range of ranges) answers.push(await read(range))
  return { answers, isComplete }
}
