import { expect } from 'chai'
import { createBatch } from '../../../shared/runtime/batch.ts'

describe('a batch', () => {
  it('runs a single item immediately', async () => {
    const runs: number[][] = []
    const double = createBatch({ run: record(runs), maxItems: 10, maxRuns: 1 })
    expect(await double(1)).to.equal(2)
    expect(runs).to.deep.equal([[1]])
  })

  it('combines items that arrive during a run, and returns each result to its caller', async () => {
    const runs: number[][] = []
    const double = createBatch({ run: record(runs), maxItems: 3, maxRuns: 1 })
    expect(await Promise.all([1, 2, 3, 4, 5].map(double))).to.deep.equal([2, 4, 6, 8, 10])
    expect(runs).to.deep.equal([[1], [2, 3, 4], [5]])
  })

  it('does not exceed the maximum number of concurrent runs', async () => {
    let running = 0
    let most = 0
    const run = async (items: readonly number[]): Promise<readonly number[]> => {
      running += 1
      most = Math.max(most, running)
      await Promise.resolve()
      running -= 1
      return items
    }
    const batch = createBatch({ run, maxItems: 1, maxRuns: 2 })
    await Promise.all(Array.from({ length: 20 }, (_, index) => batch(index)))
    expect(most).to.equal(2)
  })

  it('rejects all items of a failed run, then continues', async () => {
    const run = async (items: readonly string[]): Promise<readonly string[]> => {
      if (items.includes('bad')) throw new Error('down')
      return items
    }
    const batch = createBatch({ run, maxItems: 2, maxRuns: 1 })
    const outcomes = await Promise.allSettled(['first', 'bad', 'beside it', 'later'].map(batch))
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ])
  })

  it('runs each item again separately if a single item might have caused the error', async () => {
    const run = async (items: readonly string[]): Promise<readonly string[]> => {
      if (items.includes('bad')) throw new Error('bad data')
      return items
    }
    const batch = createBatch({ run, maxItems: 3, maxRuns: 1, isOfOneItem: () => true })
    const outcomes = await Promise.allSettled(['first', 'good', 'bad', 'also good'].map(batch))
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
  })
})

function record(runs: number[][]): (items: readonly number[]) => Promise<readonly number[]> {
  return async (items) => {
    runs.push([...items])
    return items.map((item) => item * 2)
  }
}
