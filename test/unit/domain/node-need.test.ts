import { expect } from 'chai'
import {
  estimateNodeNeed,
  getAllowedPerSecond,
  getCareIntervalMs,
  getFeedIntervalMs,
  stretchForLimits,
} from '../../../shared/domain/node-need.ts'

const FREE = { requestsPerSecond: null, requestsPerDay: null }
const TRONGRID = { requestsPerSecond: 15, requestsPerDay: 100_000 }

describe('the requests that a network needs', () => {
  const tron = { family: 'tron', blockTimeMs: 3_000, pollingIntervalMs: 1_500 } as const

  it('grow with the rates of blocks and polls', () => {
    const need = (blockTimeMs: number, pollingIntervalMs: number) =>
      estimateNodeNeed({ family: 'evm', blockTimeMs, pollingIntervalMs, nodes: [FREE] }, 1).feedPerSecond
    expect(need(2_000, 1_000)).to.equal(2)
    expect(need(2_000, 2_000)).to.equal(1.5)
    // Every block is fetched, even if heads are polled rarely.
    expect(need(500, 2_000)).to.equal(6)
  })

  it('fit if all nodes together allow the feed, and each node allows the requests to every node', () => {
    const isEnough = (...limits: readonly (number | null)[]) =>
      estimateNodeNeed(
        { ...tron, nodes: limits.map((perSecond) => ({ ...FREE, requestsPerSecond: perSecond })) },
        1,
      ).isEnough
    expect(isEnough(null, null)).to.equal(true)
    expect(isEnough(2, 2)).to.equal(true)
    expect(isEnough(1, 1)).to.equal(false)
    expect(isEnough(null, 0.5)).to.equal(false)
  })

  it('are compared with the lower of a node’s limits per second and per day', () => {
    expect(getAllowedPerSecond(FREE, 0.8)).to.equal(null)
    expect(getAllowedPerSecond(TRONGRID, 0.8)).to.be.closeTo(0.926, 0.001)
    expect(getAllowedPerSecond({ requestsPerSecond: 1, requestsPerDay: 1_000_000 }, 0.5)).to.equal(0.5)
  })

  it('are reduced to one poll per block if limits are too low', () => {
    const poll = (node: typeof FREE | typeof TRONGRID) =>
      getFeedIntervalMs({ ...tron, nodes: [node, node] }, 0.8)
    expect(poll(FREE)).to.equal(1_500)
    expect(poll(TRONGRID)).to.equal(3_000)
  })

  it('keep their interval if nodes have no limits, and have an interval of up to 30 s if limits are low', () => {
    const stretch = (nodes: readonly (typeof FREE | typeof TRONGRID)[]) =>
      stretchForLimits(1_000, { nodes, share: 0.8, part: 0.1 })
    expect(stretch([FREE, FREE])).to.equal(1_000)
    expect(stretch([FREE, TRONGRID])).to.be.closeTo(10_800, 5)
    expect(stretchForLimits(1_000, { nodes: [TRONGRID], share: 0.1, part: 0.01 })).to.equal(30_000)
    expect(getCareIntervalMs({ blockTimeMs: 3_000, nodes: [FREE] }, 0.8)).to.equal(3_000)
  })
})
