import { expect } from 'chai'
import {
  getBlocksPerRange,
  listRangesSince,
  RANGES_PER_DAY,
  RANGES_PER_HOUR,
} from '../../../indexer/reconciliation/block-ranges.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { NETWORKS } from '../../../shared/domain/networks.ts'

const HOUR_MS = 3_600_000
const BLOCK_TIMES = NETWORKS.flatMap((network) => {
  const { live, test } = REGISTRY[network]
  return [live, test].flatMap((facts) => (facts === null ? [] : [{ network, ...facts }]))
})

const by = (blocks: number, maxRanges: number) => ({ blocks, maxRanges })

describe('listRangesSince', () => {
  it('returns ranges of the given size, newest first, for twice the charge’s age and 100 more blocks', () => {
    const { ranges, isComplete } = listRangesSince(
      { block: 50_000, ageMs: 1_900_000, blockTimeMs: 2000 },
      by(1000, 10),
    )
    expect(ranges).to.deep.equal([
      { fromBlock: 49_001, toBlock: 50_000 },
      { fromBlock: 48_001, toBlock: 49_000 },
      { fromBlock: 48_000, toBlock: 48_000 },
    ])
    expect(isComplete).to.equal(true)
  })

  it('reports incomplete ranges if more are needed than allowed', () => {
    const { ranges, isComplete } = listRangesSince(
      { block: 50_000, ageMs: 10_000_000, blockTimeMs: 2000 },
      by(1000, 5),
    )
    expect(ranges).to.have.length(5)
    expect(ranges.at(-1)).to.deep.equal({ fromBlock: 45_001, toBlock: 46_000 })
    expect(isComplete).to.equal(false)
  })

  it('ends at the first block of the chain', () => {
    const { ranges, isComplete } = listRangesSince(
      { block: 30, ageMs: 1_000_000, blockTimeMs: 2000 },
      by(1000, 5),
    )
    expect(ranges).to.deep.equal([{ fromBlock: 0, toBlock: 30 }])
    expect(isComplete).to.equal(true)
  })

  it('covers an hour and 25 hours within the allowed number of ranges on every network', () => {
    for (const { network, blockTimeMs } of BLOCK_TIMES)
      for (const [ageMs, maxRanges] of [
        [HOUR_MS, RANGES_PER_HOUR],
        [25 * HOUR_MS, RANGES_PER_DAY],
      ] as const) {
        const life = { block: 1_000_000_000, ageMs, blockTimeMs }
        const { isComplete } = listRangesSince(life, by(getBlocksPerRange(blockTimeMs), maxRanges))
        expect(isComplete, `${ageMs / HOUR_MS} h of ${network}`).to.equal(true)
      }
  })
})

describe('getBlocksPerRange', () => {
  it('returns the number of blocks in about half an hour, at least 1,000 and at most 10,000', () => {
    const asked = [12_000, 2_000, 750, 500, 250, 10].map(getBlocksPerRange)
    expect(asked).to.deep.equal([1_000, 1_000, 2_666, 4_000, 8_000, 10_000])
  })
})
