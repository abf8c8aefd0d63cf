import {
  type BlockRange,
  blocksPerRange,
  LEAST_BLOCKS_PER_RANGE,
  type Life,
  rangesSince,
} from './ranges-since.ts'

/** What is read, of how much, and how. */
type Reading<Answer> = {
  readonly life: Life
  readonly maxRanges: number
  readonly read: (range: BlockRange) => Promise<Answer>
}

/**
 * Reads everything since a moment, newest first, one range after the other; at most `maxRanges` of them.
 *
 * A node that does not answer ranges as wide as its chain is quick is read anew by a thousand blocks, which reaches less
 * far back on a quick chain.
 *
 * @returns what each range showed, and whether they are all
 * @throws what reading a range of a thousand blocks failed by
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
