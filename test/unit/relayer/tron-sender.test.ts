import { expect } from 'chai'
import { chooseQuote, type TronState } from '../../../indexer/relayer/tron/quote-tron-call.ts'
import type { TronFunds } from '../../../shared/chain/tron/read-tron.ts'

const VALID_UNTIL = new Date('2026-11-22T12:00:00Z')
const at = (seconds: number) => VALID_UNTIL.getTime() + seconds * 1000

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
    ...{ reserved: NOTHING, frame: state(0) },
  }
  const choose = (...states: readonly TronState[]) => chooseQuote(states, wanted)

  it('references the solidified block, because it cannot be reorganized', () => {
    expect(choose(state(0))).to.deep.equal({
      ...{ obstacle: null, feeLimitSun: 30_000_000n, bandwidth: PAYOUT_BYTES, nowMs: at(0) },
      spendable: { balanceSun: 1_000_000_000n, energySun: 0n, bandwidth: 600n },
      reference: { number: 82, id: '0x2', timestampMs: at(-54) },
    })
  })

  it('ignores a price above the bound that one of two or three nodes reports', () => {
    expect(choose(state(0), state(1, 9_000n)).feeLimitSun).to.equal(30_000_000n)
    expect(choose(state(0, 9_000n), state(0), state(0)).feeLimitSun).to.equal(30_000_000n)
  })

  it('uses the highest price within the bound, because the energy would run out at a lower price', () => {
    expect(choose(state(0), state(1, 1n)).feeLimitSun).to.equal(30_000_000n)
    expect(choose(state(0, 1n), state(0), state(0, 1n)).feeLimitSun).to.equal(30_000_000n)
  })

  it('waits while the fee limit is above the bound', () => {
    expect(choose(state(0, 200n)).obstacle).to.deep.equal({
      type: 'dear',
      error: 'the fee limit of 60000000 sun is above the bound of 50000000',
    })
  })

  describe('that depends on the account’s resources', () => {
    const FEE_LIMIT = 30_000_000n
    const PAYOUT_FEE = 795_000n
    const NEEDED = FEE_LIMIT + PAYOUT_FEE
    const EMPTY: TronFunds = { balanceSun: 0n, energy: 0n, bandwidth: 0n }
    const obstacle = (funds: Partial<TronFunds>, reserved = NOTHING) =>
      chooseQuote([state(0, 100n, { ...EMPTY, ...funds })], { ...wanted, reserved }).obstacle?.error ?? null

    it('waits while the account’s TRX does not cover the cost, because missing energy is paid in TRX', () => {
      expect(obstacle({ balanceSun: NEEDED })).to.equal(null)
      expect(obstacle({ balanceSun: NEEDED - 1n })).to.equal(
        'the relayer has 30794999 sun, energy worth 0 sun and 0 bytes of bandwidth; its transactions may take energy worth 30000000 sun and 795 bytes: send it 1 sun, or stake or rent energy and bandwidth for it',
      )
    })

    it('uses the energy of the account’s stake', () => {
      expect(obstacle({ balanceSun: PAYOUT_FEE, energy: 300_000n })).to.equal(null)
      expect(obstacle({ balanceSun: PAYOUT_FEE, energy: 299_999n })).to.include('send it 100 sun')
    })

    it('waits for TRX despite enough energy, because energy does not pay for bytes', () => {
      expect(obstacle({ energy: 100_000_000n })).to.include('send it 795000 sun')
    })

    it('requires TRX for all bytes if a quota covers only some of them', () => {
      expect(obstacle({ balanceSun: FEE_LIMIT + 1_000n, bandwidth: 794n })).to.include('send it 794000 sun')
      expect(obstacle({ balanceSun: FEE_LIMIT, bandwidth: 795n })).to.equal(null)
    })

    it('requires no TRX if the stake covers energy and bytes', () => {
      expect(obstacle({ energy: 300_000n, bandwidth: 795n })).to.equal(null)
    })

    it('reserves the resources that unresolved transactions might still use', () => {
      const other = { feeLimitSun: FEE_LIMIT, bandwidth: PAYOUT_BYTES }
      expect(obstacle({ balanceSun: 2n * NEEDED }, other)).to.equal(null)
      expect(obstacle({ balanceSun: 2n * NEEDED - 1n }, other)).to.include('send it 1 sun')
      expect(obstacle({ energy: 600_000n, bandwidth: 1_589n }, other)).to.include('send it 1590000 sun')
    })

    it('uses the lower balance of two nodes, and the median of three', () => {
      const poor = { ...EMPTY, balanceSun: 5n }
      expect(choose(state(0, 100n, poor), state(0)).obstacle).to.include({ type: 'unfunded' })
      expect(choose(state(0), state(0, 100n, poor), state(0)).obstacle).to.equal(null)
    })
  })
})
