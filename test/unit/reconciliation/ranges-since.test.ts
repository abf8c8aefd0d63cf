import { expect } from 'chai'
import { rangesSince } from '../../../indexer/reconciliation/ranges-since.ts'

describe('rangesSince', () => {
  it('reads a thousand blocks at a time, newest first, and a hundred more than twice the life', () => {
    const { ranges, isComplete } = rangesSince({ block: 50_000, ageMs: 1_900_000, blockTimeMs: 2000 }, 10)
    expect(ranges).to.deep.equal([
      { fromBlock: 49_001, toBlock: 50_000 },
      { fromBlock: 48_001, toBlock: 49_000 },
      { fromBlock: 48_000, toBlock: 48_000 },
    ])
    expect(isComplete).to.equal(true)
  })

  it('says when there is more than may be read', () => {
    const { ranges, isComplete } = rangesSince({ block: 50_000, ageMs: 10_000_000, blockTimeMs: 2000 }, 5)
    expect(ranges).to.have.length(5)
    expect(ranges.at(-1)).to.deep.equal({ fromBlock: 45_001, toBlock: 46_000 })
    expect(isComplete).to.equal(false)
  })

  it('ends at the first block of the chain', () => {
    const { ranges, isComplete } = rangesSince({ block: 30, ageMs: 1_000_000, blockTimeMs: 2000 }, 5)
    expect(ranges).to.deep.equal([{ fromBlock: 0, toBlock: 30 }])
    expect(isComplete).to.equal(true)
  })
})
