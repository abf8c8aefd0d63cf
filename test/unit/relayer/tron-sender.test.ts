import { expect } from 'chai'

import { chooseQuote, type TronState } from '../../../indexer/relayer/tron/quote-tron.ts'
import { decideEnd } from '../../../indexer/relayer/tron/track-expiring.ts'

const VALID_UNTIL = new Date('2026-11-22T12:00:00Z')
const at = (seconds: number) => VALID_UNTIL.getTime() + seconds * 1000
const nowhere = (seconds: number) => ({ solidMs: at(seconds), outcome: null })
const inBlock = (isSuccess: boolean) => ({ solidMs: at(-60), outcome: { blockNumber: 7, isSuccess } })

describe('what has become of a transaction on TRON', () => {
  const decide = (...views: Parameters<typeof decideEnd>[0]) => decideEnd(views, { validUntil: VALID_UNTIL })

  it('is final or reverted when a solid block has it, and nothing before', () => {
    expect(decide(inBlock(true))).to.deep.equal({ to: 'final', blockNumber: 7 })
    expect(decide(inBlock(false))).to.deep.equal({ to: 'reverted', blockNumber: 7 })
    expect(decide(nowhere(-60))).to.equal(null)
  })

  it('is final though another node has lost it', () => {
    expect(decide(nowhere(3600), inBlock(true))).to.deep.equal({ to: 'final', blockNumber: 7 })
  })

  it('is expired half a minute of blocks after its expiration, for a balancer’s other machine may lag', () => {
    expect(decide(nowhere(29))).to.equal(null)
    expect(decide(nowhere(30))).to.deep.equal({ to: 'expired', blockNumber: null })
  })

  it('is not expired as long as one node cannot know yet', () => {
    expect(decide(nowhere(3600), nowhere(-3))).to.equal(null)
  })
})

describe('a quote on TRON', () => {
  const state = (seconds: number, energyPriceSun = 100n): TronState => ({
    head: { number: 100 + seconds, id: '0x1', timestampMs: at(seconds) },
    solid: { number: 82 + seconds, id: '0x2', timestampMs: at(seconds - 54) },
    energyPriceSun,
  })
  const terms = { maxFeeLimitSun: 50_000_000n }
  const choose = (...states: readonly TronState[]) => chooseQuote(states, { energy: 300_000n, terms })

  it('builds on the solid block, which no fork takes back', () => {
    expect(choose(state(0))).to.deep.equal({
      ...{ obstacle: null, feeLimitSun: 30_000_000n, nowMs: at(0) },
      reference: { number: 82, id: '0x2', timestampMs: at(-54) },
    })
  })

  it('takes clock and reference of the node in the middle, whoever is ahead or behind', () => {
    const { reference, nowMs } = choose(state(3000), state(0), state(-3000))
    expect({ number: reference.number, nowMs }).to.deep.equal({ number: 82, nowMs: at(0) })
  })

  it('takes the price that the honest say when one of two or three names more', () => {
    expect(choose(state(0), state(1, 9_000n)).feeLimitSun).to.equal(30_000_000n)
    expect(choose(state(0, 9_000n), state(0), state(0)).feeLimitSun).to.equal(30_000_000n)
  })

  it('takes the price that the honest say when one of two or three names less: else it would end for want of energy', () => {
    expect(choose(state(0), state(1, 1n)).feeLimitSun).to.equal(30_000_000n)
    expect(choose(state(0, 1n), state(0), state(0, 1n)).feeLimitSun).to.equal(30_000_000n)
  })

  it('waits while the fee limit is above the bound', () => {
    expect(choose(state(0, 200n)).obstacle).to.deep.equal({
      type: 'dear',
      error: 'a fee limit of 60000000 sun is above the bound 50000000',
    })
  })
})
