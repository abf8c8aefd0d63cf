import { expect } from 'chai'
import { chooseQuote, type TronState } from '../../../indexer/relayer/tron/quote-tron.ts'
import { decideEnd, type SolidView } from '../../../indexer/relayer/tron/track-expiring.ts'
import type { TronFunds } from '../../../shared/chain/tron/read-tron.ts'

const VALID_UNTIL = new Date('2026-11-22T12:00:00Z')
const at = (seconds: number) => VALID_UNTIL.getTime() + seconds * 1000
const nowhere = (seconds: number): SolidView => ({ solidMs: at(seconds), outcome: null })
const inBlock = (isSuccess: boolean, seconds = -60): SolidView => ({
  solidMs: at(seconds),
  outcome: { blockNumber: 7, isSuccess },
})

describe('what has become of a transaction on TRON', () => {
  /** A minute after the newest of their blocks, by two nodes at least. */
  const decide = (
    views: readonly SolidView[],
    { nodeCount = views.length, isIndexed = false, nowMs = 0 } = {},
  ) =>
    decideEnd(views, {
      ...{ validUntil: VALID_UNTIL, nodeCount, isIndexed },
      nowMs: nowMs || Math.max(...views.map(({ solidMs }) => solidMs)) + 60_000,
    })
  const FINAL = { to: 'final', blockNumber: 7 }
  const EXPIRED = { to: 'expired', blockNumber: null }

  it('is final or reverted when a solid block of the only node has it, and nothing before', () => {
    expect(decide([inBlock(true)])).to.deep.equal(FINAL)
    expect(decide([inBlock(false)])).to.deep.equal({ to: 'reverted', blockNumber: 7 })
    expect(decide([nowhere(-60)])).to.equal(null)
  })

  it('is final when two nodes say so, and not by the word of one of two', () => {
    expect(decide([inBlock(true), inBlock(true)])).to.deep.equal(FINAL)
    expect(decide([inBlock(true), nowhere(-60)])).to.equal(null)
    expect(decide([inBlock(true)], { nodeCount: 2 }), 'the other one is silent').to.equal(null)
    expect(decide([inBlock(true), inBlock(true), nowhere(3600)]), 'of three').to.deep.equal(FINAL)
  })

  it('is final by the word of one when the feed has counted what the split logged in it', () => {
    expect(decide([nowhere(3600), inBlock(true)], { isIndexed: true })).to.deep.equal(FINAL)
    expect(decide([inBlock(true)], { isIndexed: true, nodeCount: 2 })).to.deep.equal(FINAL)
  })

  it('is nothing that others may be signed for as long as one node says that it succeeded', () => {
    expect(decide([inBlock(true, 3600), nowhere(3600)])).to.equal(null)
    expect(decide([inBlock(true), inBlock(false)])).to.equal(null)
    expect(decide([inBlock(true), inBlock(false), inBlock(false)])).to.equal(null)
  })

  it('is expired, and no failed attempt, when one node says that it reverted and the others never had it', () => {
    expect(decide([inBlock(false), nowhere(-60)])).to.equal(null)
    expect(decide([inBlock(false, 3600), nowhere(3600)])).to.deep.equal(EXPIRED)
    expect(decide([inBlock(false), inBlock(false)])).to.deep.equal({ to: 'reverted', blockNumber: 7 })
  })

  it('is expired half a minute of blocks after its expiration, for a balancer’s other machine may lag', () => {
    expect(decide([nowhere(29)])).to.equal(null)
    expect(decide([nowhere(30)])).to.deep.equal(EXPIRED)
  })

  it('is not expired as long as one node cannot know yet', () => {
    expect(decide([nowhere(3600), nowhere(-3)], { nowMs: at(590) })).to.equal(null)
  })

  describe('of two nodes of which one has stood still for ten minutes', () => {
    it('is expired when the other’s solid block is of its expiration, and not before', () => {
      expect(decide([nowhere(700), nowhere(-30)])).to.deep.equal(EXPIRED)
      expect(decide([nowhere(29), nowhere(-700)])).to.equal(null)
    })

    it('is not, if that one had seen it', () => {
      expect(decide([nowhere(3600), inBlock(true)])).to.equal(null)
    })

    it('is not when the chain itself stands still, whatever our clock says', () => {
      expect(decide([nowhere(-30), nowhere(-33)], { nowMs: at(86_400) })).to.equal(null)
    })
  })
})

describe('a quote on TRON', () => {
  const RICH = { balanceSun: 1_000_000_000n, energy: 0n, bandwidth: 600n }
  const state = (seconds: number, energyPriceSun = 100n, funds = RICH): TronState => ({
    head: { number: 100 + seconds, id: '0x1', timestampMs: at(seconds) },
    solid: { number: 82 + seconds, id: '0x2', timestampMs: at(seconds - 54) },
    ...{ energyPriceSun, funds },
  })
  const NOTHING = { feeLimitSun: 0n, bandwidth: 0n }
  const PAYOUT_BYTES = 795n
  const wanted = {
    ...{ energy: 300_000n, bandwidth: PAYOUT_BYTES, terms: { maxFeeLimitSun: 50_000_000n } },
    ...{ reserved: NOTHING, nowMs: at(3) },
  }
  const choose = (...states: readonly TronState[]) => chooseQuote(states, wanted)

  it('builds on the solid block, which no fork takes back', () => {
    expect(choose(state(0))).to.deep.equal({
      ...{ obstacle: null, feeLimitSun: 30_000_000n, bandwidth: PAYOUT_BYTES, nowMs: at(0) },
      spendable: { balanceSun: 1_000_000_000n, energySun: 0n, bandwidth: 600n },
      reference: { number: 82, id: '0x2', timestampMs: at(-54) },
    })
  })

  it('takes clock and reference of the node in the middle, whoever is ahead or behind', () => {
    const { reference, nowMs } = choose(state(500), state(0), state(-500))
    expect({ number: reference.number, nowMs }).to.deep.equal({ number: 82, nowMs: at(0) })
  })

  it('leaves out a node that has stood still for ten minutes: what is dated by its clock has expired', () => {
    expect(choose(state(-900), state(0)).nowMs).to.equal(at(0))
    expect(choose(state(-500), state(0)).nowMs, 'one that lags').to.equal(at(-500))
    const late = { ...wanted, nowMs: at(86_400) }
    expect(chooseQuote([state(-900), state(0)], late).nowMs, 'a chain that stands still').to.equal(at(-900))
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

  describe('of an account', () => {
    const FEE_LIMIT = 30_000_000n
    const PAYOUT_FEE = 795_000n
    const NEEDED = FEE_LIMIT + PAYOUT_FEE
    const EMPTY: TronFunds = { balanceSun: 0n, energy: 0n, bandwidth: 0n }
    const obstacle = (funds: Partial<TronFunds>, reserved = NOTHING) =>
      chooseQuote([state(0, 100n, { ...EMPTY, ...funds })], { ...wanted, reserved }).obstacle?.error ?? null

    it('waits while its TRX do not pay for all of it: what lacks energy burns what there is', () => {
      expect(obstacle({ balanceSun: NEEDED })).to.equal(null)
      expect(obstacle({ balanceSun: NEEDED - 1n })).to.equal(
        'the relayer has 30794999 sun, energy worth 0 sun and 0 bytes of bandwidth; its transactions may take energy worth 30000000 sun and 795 bytes: send it 1 sun, or stake or rent energy and bandwidth for it',
      )
    })

    it('pays for energy with the energy of its stake', () => {
      expect(obstacle({ balanceSun: PAYOUT_FEE, energy: 300_000n })).to.equal(null)
      expect(obstacle({ balanceSun: PAYOUT_FEE, energy: 299_999n })).to.include('send it 100 sun')
    })

    it('waits with energy and no TRX, for energy pays for no bytes, and nodes refuse what it signs', () => {
      expect(obstacle({ energy: 100_000_000n })).to.include('send it 795000 sun')
    })

    it('burns TRX for all of the bytes when a quota covers only some of them', () => {
      expect(obstacle({ balanceSun: FEE_LIMIT + 1_000n, bandwidth: 794n })).to.include('send it 794000 sun')
      expect(obstacle({ balanceSun: FEE_LIMIT, bandwidth: 795n })).to.equal(null)
    })

    it('needs no TRX when its stake covers energy and bytes', () => {
      expect(obstacle({ energy: 300_000n, bandwidth: 795n })).to.equal(null)
    })

    it('counts the resources that its unresolved transactions may still take', () => {
      const other = { feeLimitSun: FEE_LIMIT, bandwidth: PAYOUT_BYTES }
      expect(obstacle({ balanceSun: 2n * NEEDED }, other)).to.equal(null)
      expect(obstacle({ balanceSun: 2n * NEEDED - 1n }, other)).to.include('send it 1 sun')
      expect(obstacle({ energy: 600_000n, bandwidth: 1_589n }, other)).to.include('send it 1590000 sun')
    })

    it('believes of two nodes the one that says less', () => {
      const poor = { ...EMPTY, balanceSun: 5n }
      expect(choose(state(0, 100n, poor), state(0)).obstacle).to.include({ type: 'unfunded' })
      expect(choose(state(0), state(0, 100n, poor), state(0)).obstacle).to.equal(null)
    })
  })
})
