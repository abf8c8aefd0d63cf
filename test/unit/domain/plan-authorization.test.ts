import { expect } from 'chai'
import type { Address } from '../../../shared/domain/address.ts'
import { askedAmount } from '../../../shared/domain/asked-amount.ts'
import { findWindowProblem, offeredSeconds } from '../../../shared/domain/authorization-window.ts'
import { atto, micro } from '../../../shared/domain/money.ts'
import {
  planAuthorization,
  type SignablePair,
  type SignatureFacts,
} from '../../../shared/domain/plan-authorization.ts'

const NOW = new Date('2026-11-23T12:00:00.500Z')
const SECONDS = BigInt(Math.floor(NOW.getTime() / 1000))
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
const DOLLAR = 10n ** 18n

const PAIR: SignablePair = {
  ...{ token: 'USDC', network: 'base', chainId: 8453, decimals: 6, blockTimeMs: 2000 },
  ...{ tokenAddress: `0x${'c0'.repeat(20)}` as Address, domain: { name: 'USD Coin', version: '2' } },
  ...{ minimumMicro: micro(1_000_000n), isPaused: false, usedGas: 0, dailyGas: 200_000, isBroken: false },
}

function facts(changes: Partial<SignatureFacts> = {}): SignatureFacts {
  return {
    ...{ chargeId: 'ch_one', address: `0x${'ab'.repeat(20)}` as Address },
    ...{ status: 'pending', isSimulated: false, isParked: false, expiresAt: after(3600), inFlight: null },
    isFeedStale: false,
    ...{ amountMicro: micro(10_000_000n), receivedAtto: null, seenAtto: atto(0n), pairs: [PAIR] },
    ...changes,
  }
}

const planOf = (changes: Partial<SignatureFacts> = {}) => planAuthorization(facts(changes), NOW)
const withPair = (changes: Partial<SignablePair>) => planOf({ pairs: [{ ...PAIR, ...changes }] })

describe('what a payer may be asked to sign', () => {
  it('is what has neither been credited nor seen', () => {
    const of = {
      amountMicro: micro(10_000_000n),
      receivedAtto: atto(3n * DOLLAR),
      seenAtto: atto(2n * DOLLAR),
    }
    expect(askedAmount(of)).to.equal(5n * DOLLAR)
    expect(askedAmount({ ...of, seenAtto: atto(9n * DOLLAR) })).to.equal(0n)
  })

  it('is rounded up to the unit of the token', () => {
    const plan = planOf({ seenAtto: atto(1n) })
    expect(plan.type === 'asked' && plan.pairs.map(({ valueAtomic }) => valueAtomic)).to.deep.equal([
      10_000_000n,
    ])
  })

  it('is nothing while something signed may pay, whatever the charge has become', () => {
    for (const inFlight of ['requested', 'signed', 'mined', 'final', 'taken'] as const) {
      expect(planOf({ inFlight }).type).to.equal('in_flight')
      expect(planOf({ inFlight, status: 'expired' }).type).to.equal('in_flight')
      // The checkout's page takes what is said of these for word that nothing is in flight.
      expect(planOf({ inFlight, expiresAt: after(119) }).type).to.equal('in_flight')
      expect(planOf({ inFlight, isFeedStale: true }).type).to.equal('in_flight')
      expect(planOf({ inFlight, pairs: [{ ...PAIR, isPaused: true }] }).type).to.equal('in_flight')
    }
  })

  it('is nothing while a chain that it accepts is not seen, as if it were paused', () => {
    expect(planOf({ isFeedStale: true })).to.include({ type: 'unavailable', isPaused: true })
    expect(planOf({ isFeedStale: true, seenAtto: atto(10n * DOLLAR) }).type).to.equal('nothing_asked')
  })

  it('is nothing of a charge that is confirmed, though its transfer was not seen on its own', () => {
    expect(planOf({ inFlight: 'final', status: 'confirmed' }).type).to.equal('nothing_asked')
  })

  it('is nothing of a charge that all was seen of, or that is confirmed', () => {
    expect(planOf({ seenAtto: atto(10n * DOLLAR) }).type).to.equal('nothing_asked')
    expect(planOf({ status: 'confirmed' }).type).to.equal('nothing_asked')
  })

  it('is nothing of one that is decided otherwise, or has less than two minutes left', () => {
    expect(planOf({ status: 'expired' }).type).to.equal('not_payable')
    expect(planOf({ status: 'underpaid' }).type).to.equal('not_payable')
    expect(planOf({ expiresAt: after(119) }).type).to.equal('not_payable')
    expect(planOf({ expiresAt: after(121) }).type).to.equal('asked')
  })

  it('is nothing where no pair takes signatures', () => {
    expect(planOf({ pairs: [] }).type).to.equal('unavailable')
    expect(planOf({ isSimulated: true }).type).to.equal('unavailable')
    expect(planOf({ isParked: true }).type).to.equal('unavailable')
    expect(withPair({ isBroken: true }).type).to.equal('unavailable')
    expect(withPair({ isPaused: true })).to.include({ type: 'unavailable', isPaused: true })
  })

  it('is nothing below the minimum, or beyond the day’s gas', () => {
    expect(withPair({ minimumMicro: micro(10_000_000n) }).type).to.equal('asked')
    expect(withPair({ minimumMicro: micro(10_000_001n) }).type).to.equal('unavailable')
    expect(withPair({ dailyGas: 400_000, usedGas: 200_000 }).type).to.equal('asked')
    expect(withPair({ dailyGas: 399_999, usedGas: 200_000 }).type).to.equal('unavailable')
  })
})

describe('the window of an authorization', () => {
  const bounds = { now: NOW, expiresAt: after(3600), blockTimeMs: 2000 }
  const problemOf = (validBefore: bigint, validAfter = 0n, more = {}) =>
    findWindowProblem({ validAfter, validBefore }, { ...bounds, ...more })?.param ?? null

  it('has begun', () => {
    expect(problemOf(SECONDS + 300n, SECONDS)).to.equal(null)
    expect(problemOf(SECONDS + 300n, SECONDS + 1n)).to.equal('validAfter')
  })

  it('leaves six seconds and two blocks, and fifteen minutes at most', () => {
    expect(problemOf(SECONDS + 9n)).to.equal('validBefore')
    expect(problemOf(SECONDS + 10n)).to.equal(null)
    expect(problemOf(SECONDS + 900n)).to.equal(null)
    expect(problemOf(SECONDS + 901n)).to.equal('validBefore')
  })

  it('never ends after the charge does', () => {
    expect(problemOf(SECONDS + 100n, 0n, { expiresAt: after(100) })).to.equal(null)
    expect(problemOf(SECONDS + 101n, 0n, { expiresAt: after(100) })).to.equal('validBefore')
  })

  it('is offered for five minutes, less near the end, and not for less than one', () => {
    expect(offeredSeconds(bounds)).to.equal(300)
    expect(offeredSeconds({ now: NOW, expiresAt: after(200) })).to.equal(140)
    expect(offeredSeconds({ now: NOW, expiresAt: after(120) })).to.equal(60)
    expect(offeredSeconds({ now: NOW, expiresAt: after(119) })).to.equal(null)
  })
})
