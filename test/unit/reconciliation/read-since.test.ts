import { expect } from 'chai'
import type { BlockRange } from '../../../indexer/reconciliation/block-ranges.ts'
import { readSince } from '../../../indexer/reconciliation/read-since.ts'

/** An hour-old charge on a chain with four blocks per second. Twice its 14,400 blocks and 101 more are read. */
const LIFE = { block: 1_000_000, ageMs: 3_600_000, blockTimeMs: 250 }

describe('readSince', () => {
  it('needs four requests for an hour of 250 ms blocks if the node allows 10,000 blocks per request', async () => {
    const { asked, isComplete } = await read({ mostBlocks: 10_000, maxRanges: 5 })
    expect(asked.map(widthOf)).to.deep.equal([8000, 8000, 8000, 4901])
    expect(isComplete).to.equal(true)
  })

  it('reads 1,000 blocks per request if the node rejects more, up to the maximum number of ranges', async () => {
    const { asked, isComplete } = await read({ mostBlocks: 1000, maxRanges: 5 })
    expect(asked.map(widthOf)).to.deep.equal([8000, 1000, 1000, 1000, 1000, 1000])
    expect(isComplete).to.equal(false)
    const { isComplete: isWhole } = await read({ mostBlocks: 1000, maxRanges: 100 })
    expect(isWhole).to.equal(true)
  })

  it('fails if the node rejects every range', async () => {
    const failure = await read({ mostBlocks: 0, maxRanges: 5 }).catch((error: unknown) => error)
    expect(failure).to.be.an('error')
  })
})

async function read({ mostBlocks, maxRanges }: { mostBlocks: number; maxRanges: number }) {
  const asked: BlockRange[] = []
  const { isComplete } = await readSince({
    life: LIFE,
    maxRanges,
    read: (range) => {
      asked.push(range)
      return widthOf(range) <= mostBlocks ? Promise.resolve(0) : Promise.reject(new Error('too wide'))
    },
  })
  return { asked, isComplete }
}

function widthOf({ fromBlock, toBlock }: BlockRange): number {
  return toBlock - fromBlock + 1
}
