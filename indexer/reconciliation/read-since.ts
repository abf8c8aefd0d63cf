import {
  type BlockRange,
  blocksPerRange,
  LEAST_BLOCKS_PER_RANGE,
  type Life,
  rangesSince,
} from './ranges-since.ts'

type Reading<Answer> = {
  readonly life: Life
  readonly maxRanges: number
  readonly read: (range: BlockRange) => Promise<Answer>
}

/**
 * Reads everything since a point in time, newest first, one range after the other, at most `maxRanges` ranges.
 *
 * If a node does not serve ranges sized by the chain's block time, everything is read again in ranges of 1,000 blocks,
 * which reach back less far on a fast chain.
 *
 * @returns the result of each range, and whether these are all ranges
 * @throws {Error} the error of reading a range of 1,000 blocks
 */
export async function readSince<Answer>(
  reading: Reading<Answer>,
): Promise<{ readonly answers: readonly Answer[]; readonly isComplete: boolean }> {
  const blocks = blocksPerRange(reading.life.blockTimeMs)
  try {
    return await readBy(blocks, reading)
  } catch (error) {
    if (blocks === LEAST_BLOCKS_PER_RANGE) throw error
    return readBy(LEAST_BLOCKS_PER_RANGE, reading)
  }
}

async function readBy<Answer>(blocks: number, { life, maxRanges, read }: Reading<Answer>) {
  const { ranges, isComplete } = rangesSince(life, { maxRanges, blocks })
  const answers: Answer[] = []
  for (const range of ranges) answers.push(await read(range))
  return { answers, isComplete }
}
