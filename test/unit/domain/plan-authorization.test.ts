import { expect } from 'chai'
import type { Address } from '../../../shared/domain/address.ts'
import { getAmountDue } from '../../../shared/domain/amount-due.ts'
import {
  findValiditySeconds,
  findWindowProblem,
} from '../../../shared/domain/eip3009/authorization-window.ts'
import {
  type PayBySignatureFacts,
  planAuthorization,
  type SignablePair,
} from '../../../shared/domain/eip3009/plan-authorization.ts'
import { atto, micro } from '../../../shared/domain/money.ts'

const NOW = new Date('2026-11-23T12:00:00.500Z')
const SECONDS = BigInt(Math.floor(NOW.getTime() / 1000))
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
const DOLLAR = 10n ** 18n

const PAIR: SignablePair = {
  ...{ token: 'USDC', network: 'base', chainId: 8453, decimals: 6, blockTimeMs: 2000 },
  ...{ tokenAddress: `0x${'c0'.repeat(20)}` as Address, domain: { name: 'USD Coin', version: '2' } },
  ...{
    minimumMicro: micro(1_000_000n),
    isUnavailable: false,
    usedGas: 0,
    dailyGasLimit: 200_000,
    isBroken: false,
  },
}

function facts(changes: Partial<PayBySignatureFacts> = {}): PayBySignatureFacts {
  return {
    ...{ chargeId: 'ch_one', address: `0x${'ab'.repeat(20)}` as Address },
    ...{ status: 'pending', isSimulated: false, isParked: false, expiresAt: after(3600), inFlight: null },
    ...{ amountMicro: micro(10_000_000n), receivedAtto: null, seenAtto: atto(0n), pairs: [PAIR] },
    ...changes,
  }
}

const planOf = (changes: Partial<PayBySignatureFacts> = {}) => planAuthorization(facts(changes), NOW)
const withPair = (changes: Partial<SignablePair>) => planOf({ pairs: [{ ...PAIR, ...changes }] })

describe('the amount that a payer can sign', () => {
  it('is the charge’s amount less the amounts that are credited or seen on chain', () => {
    const of = {
      amountMicro: micro(10_000_000n),
      receivedAtto: atto(3n * DOLLAR),
      seenAtto: atto(2n * DOLLAR),
    }
    expect(getAmountDue(of)).to.equal(5n * DOLLAR)
    expect(getAmountDue({ ...of, seenAtto: atto(9n * DOLLAR) })).to.equal(0n)
  })

  it('is rounded up to the token’s unit', () => {
    const plan = planOf({ seenAtto: atto(1n) })
    expect(plan.type === 'asked' && plan.pairs.map(({ valueAtomic }) => valueAtomic)).to.deep.equal([
      10_000_000n,
    ])
  })

  it('is not available while a signed payment is in flight', () => {
    for (const inFlight of ['requested', 'signed', 'mined', 'final', 'executed_externally'] as const) {
      expect(planOf({ inFlight }).type).to.equal('in_flight')
      expect(planOf({ inFlight, status: 'expired' }).type).to.equal('in_flight')
      // A response about the deadline or the pairs would let the checkout page assume that nothing is in flight.
      expect(planOf({ inFlight, expiresAt: after(119) }).type).to.equal('in_flight')
      expect(planOf({ inFlight, pairs: [{ ...PAIR, isUnavailable: true }] }).type).to.equal('in_flight')
    }
  })

  it('is available only on the other pairs if a pair is paused or stale', () => {
    const closed = { ...PAIR, isUnavailable: true }
    expect(planOf({ pairs: [closed] })).to.include({ type: 'unavailable', isTemporary: true })
    expect(planOf({ pairs: [closed], seenAtto: atto(10n * DOLLAR) }).type).to.equal('nothing_asked')
    const open = { ...PAIR, network: 'polygon', chainId: 137 } as const
    const plan = planOf({ pairs: [closed, open] })
    expect(plan.type === 'asked' && plan.pairs.map(({ network }) => network)).to.deep.equal(['polygon'])
  })

  it('is zero for a confirmed charge whose signed payment is final', () => {
    expect(planOf({ inFlight: 'final', status: 'confirmed' }).type).to.equal('nothing_asked')
  })

  it('is zero if the whole amount was seen on chain or the charge is confirmed', () => {
    expect(planOf({ seenAtto: atto(10n * DOLLAR) }).type).to.equal('nothing_asked')
    expect(planOf({ status: 'confirmed' }).type).to.equal('nothing_asked')
  })

  it('is not available if the charge is final or expires in less than two minutes', () => {
    expect(planOf({ status: 'expired' }).type).to.equal('not_payable')
    expect(planOf({ status: 'underpaid' }).type).to.equal('not_payable')
    expect(planOf({ expiresAt: after(119) })).to.deep.equal({
      type: 'not_payable',
      why: 'it expires in less than 120 s, too soon for a payment by signature',
    })
    expect(planOf({ expiresAt: NOW })).to.deep.equal({ type: 'not_payable', why: 'it has expired' })
    expect(planOf({ expiresAt: after(121) }).type).to.equal('asked')
  })

  it('is not available if the charge is simulated or quarantined, or no pair accepts signatures', () => {
    expect(planOf({ pairs: [] }).type).to.equal('unavailable')
    expect(planOf({ isSimulated: true }).type).to.equal('unavailable')
    expect(planOf({ isParked: true }).type).to.equal('unavailable')
    expect(withPair({ isBroken: true }).type).to.equal('unavailable')
    expect(withPair({ isUnavailable: true })).to.include({ type: 'unavailable', isTemporary: true })
  })

  it('is not available below the pair’s minimum or above the daily gas limit', () => {
    expect(withPair({ minimumMicro: micro(10_000_000n) }).type).to.equal('asked')
    expect(withPair({ minimumMicro: micro(10_000_001n) }).type).to.equal('unavailable')
    expect(withPair({ dailyGasLimit: 400_000, usedGas: 200_000 }).type).to.equal('asked')
    expect(withPair({ dailyGasLimit: 399_999, usedGas: 200_000 }).type).to.equal('unavailable')
  })
})

describe('the validity of an authorization', () => {
  const bounds = { now: NOW, expiresAt: after(3600), blockTimeMs: 2000 }
  const problemOf = (validBefore: bigint, validAfter = 0n, more = {}) =>
    findWindowProblem({ validAfter, validBefore }, { ...bounds, ...more })?.param ?? null

  it('must have started', () => {
    expect(problemOf(SECONDS + 300n, SECONDS)).to.equal(null)
    expect(problemOf(SECONDS + 300n, SECONDS + 1n)).to.equal('validAfter')
  })

  it('must end at least six seconds and two blocks, and at most fifteen minutes, from now', () => {
    expect(problemOf(SECONDS + 9n)).to.equal('validBefore')
    expect(problemOf(SECONDS + 10n)).to.equal(null)
    expect(problemOf(SECONDS + 900n)).to.equal(null)
    expect(problemOf(SECONDS + 901n)).to.equal('validBefore')
  })

  it('must not end after the charge’s deadline', () => {
    expect(problemOf(SECONDS + 100n, 0n, { expiresAt: after(100) })).to.equal(null)
    expect(problemOf(SECONDS + 101n, 0n, { expiresAt: after(100) })).to.equal('validBefore')
  })

  it('is five minutes by default, shorter near the charge’s deadline, and at least one minute', () => {
    expect(findValiditySeconds(bounds)).to.equal(300)
    expect(findValiditySeconds({ now: NOW, expiresAt: after(200) })).to.equal(140)
    expect(findValiditySeconds({ now: NOW, expiresAt: after(120) })).to.equal(60)
    expect(findValiditySeconds({ now: NOW, expiresAt: after(119) })).to.equal(null)
  })
})
