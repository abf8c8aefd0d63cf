import { expect } from 'chai'
import { decidePayout, type PayoutUpdate } from '../../../indexer/payouts/decide-payout.ts'
import type { PayoutProgress } from '../../../shared/db/payouts/payouts.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const SCHEDULE = [0, 30, 120, 600]
const DISTRIBUTION = { distributorAddress: '0xkeeper' as Address, txHash: '0xhash' as Hex }
const MORE = { type: 'funds.added', graceSeconds: 300 } as const
const COVERED = { type: 'payout.covered', distribution: DISTRIBUTION, isOffered: true } as const

describe('a payout', () => {
  it('counts a worker’s claim as an attempt and gets a lease', () => {
    const { payout, effects } = decide(buildPayout({}), { type: 'worker.claimed', leaseSeconds: 60 })
    expect(payout).to.deep.include({
      status: 'processing',
      attempts: 1,
      processingStartedAt: NOW,
      leasedUntil: later(60),
    })
    expect(effects).to.deep.equal(['announceClaimed'])
  })

  it('spaces retries like the times of the schedule', () => {
    const waits = [1, 2, 3].map((attempts) => {
      const { payout } = decide(buildPayout({ status: 'processing', attempts }), failed())
      expect(payout.graceEndsAt).to.deep.equal(payout.nextAttemptAt)
      return (payout.nextAttemptAt.getTime() - NOW.getTime()) / 1000
    })
    expect(waits).to.deep.equal([30, 90, 480])
  })

  it('fails at the last attempt of the schedule, notifies the charge, and is offered to the keepers again', () => {
    const { payout, effects } = decide(buildPayout({ status: 'processing', attempts: 4 }), failed())
    expect(payout).to.deep.include({ status: 'failed', lastError: 'no node', leasedUntil: null })
    expect(effects).to.deep.equal(['reportFailed', 'announceAvailable'])
  })

  it('is held without counting the attempt, and keeps the start of the first hold', () => {
    const news = { type: 'payout.restricted', error: 'paused' } as const
    const { payout } = decide(buildPayout({ status: 'processing', attempts: 3 }), news)
    expect(payout).to.deep.include({
      status: 'pending',
      attempts: 2,
      heldSince: NOW,
      nextAttemptAt: later(3600),
    })

    const again = decide({ ...payout, status: 'processing', attempts: 3, heldSince: later(-7200) }, news)
    expect(again.payout).to.deep.include({ attempts: 2, heldSince: later(-7200) })
  })

  it('is no longer held once it is offered to the keepers again', () => {
    const held = buildPayout({ status: 'processing', attempts: 1, heldSince: later(-7200) })
    const news = [
      failed(),
      { type: 'attempt.postponed', error: 'no node' },
      { type: 'distribution.orphaned', graceSeconds: 300 },
      { type: 'distribution.fell_short', graceSeconds: 300 },
    ] as const
    for (const one of news) {
      const { payout, effects } = decide(held, one)
      expect(payout, one.type).to.deep.include({ status: 'pending', heldSince: null })
      expect(effects, one.type).to.deep.equal(['announceAvailable'])
    }
  })

  it('is postponed without counting the attempt if no node responds, and is offered to the keepers', () => {
    const news = { type: 'attempt.postponed', error: 'no node' } as const
    const { payout, effects } = decide(buildPayout({ status: 'processing', attempts: 1 }), news)
    expect(payout).to.deep.include({
      status: 'pending',
      attempts: 0,
      heldSince: null,
      lastError: 'no node',
      nextAttemptAt: later(60),
      graceEndsAt: later(60),
    })
    expect(effects).to.deep.equal(['announceAvailable'])
  })

  it('is offered to the keepers for a whole grace period after a partial distribution', () => {
    const news = { type: 'distribution.fell_short', graceSeconds: 300 } as const
    const { payout, effects } = decide(buildPayout({ status: 'processing' }), news)
    expect(payout).to.deep.include({ status: 'pending', nextAttemptAt: later(300) })
    expect(effects).to.deep.equal(['announceAvailable'])
  })

  it('is completed by a distribution from any sender, even after it has failed', () => {
    for (const status of ['processing', 'failed'] as const) {
      const { payout, effects } = decide(buildPayout({ status }), COVERED)
      expect(payout).to.deep.include({ ...DISTRIBUTION, status: 'completed', completedAt: NOW })
      expect(effects).to.deep.equal(status === 'failed' ? ['announceClaimed'] : [])
    }
  })

  it('is announced as claimed even if its distribution is first seen at confirmation depth', () => {
    const { payout, effects } = decide(buildPayout({ status: 'pending' }), COVERED)
    expect(payout).to.deep.include({ status: 'completed', completedAt: NOW, processingStartedAt: NOW })
    expect(effects).to.deep.equal(['announceClaimed'])
  })

  it('is not announced as claimed if it was covered before it was offered to the keepers', () => {
    const { payout, effects } = decide(buildPayout({ status: 'pending' }), { ...COVERED, isOffered: false })
    expect(payout).to.deep.include({ status: 'completed', completedAt: NOW })
    expect(effects).to.deep.equal([])
  })

  it('is offered to the keepers again if a reorganization removes its distribution', () => {
    const seen = decide(buildPayout({}), { type: 'distribution.seen', distribution: DISTRIBUTION })
    expect(seen.payout).to.deep.include({ ...DISTRIBUTION, status: 'processing', attempts: 0 })
    const { payout, effects } = decide(seen.payout, { type: 'distribution.orphaned', graceSeconds: 300 })
    expect(payout).to.deep.include({ status: 'pending', txHash: null, nextAttemptAt: later(300) })
    expect(effects).to.deep.equal(['announceAvailable'])
  })

  it('is pending again when funds arrive after its completion', () => {
    const paid = buildPayout({ status: 'completed', attempts: 4, completedAt: later(-9000) })
    const { payout, effects } = decide(paid, { type: 'funds.added', graceSeconds: 300 })
    expect(payout).to.deep.include({
      status: 'pending',
      attempts: 0,
      completedAt: null,
      availableSince: NOW,
      graceEndsAt: later(300),
    })
    expect(effects).to.deep.equal(['announceAvailable'])
  })

  it('is due earlier when more funds arrive, if it had too little or nothing to distribute', () => {
    for (const waiting of [{ status: 'pending' }, { status: 'processing', attempts: 1 }] as const) {
      const { payout, effects } = decide(buildPayout({ ...waiting, nextAttemptAt: later(3600) }), MORE)
      expect(payout).to.deep.include({ ...waiting, nextAttemptAt: later(300) })
      expect(effects).to.deep.equal([])
    }
  })

  it('is not delayed by more funds', () => {
    const { payout } = decide(buildPayout({ status: 'processing', nextAttemptAt: later(60) }), MORE)
    expect(payout.nextAttemptAt).to.deep.equal(later(60))
  })

  it('keeps its worker’s lease when more funds arrive', () => {
    const leased = buildPayout({ status: 'processing', attempts: 1, leasedUntil: later(30) })
    expect(decide(leased, MORE).payout.leasedUntil).to.deep.equal(later(30))
  })

  it('keeps the time of its retry when more funds arrive', () => {
    const retried = buildPayout({ attempts: 2, nextAttemptAt: later(480) })
    expect(decide(retried, MORE).payout).to.equal(retried)
  })

  it('waits an hour for more funds if the amount is not worth our gas', () => {
    const { payout, effects } = decide(buildPayout({}), { type: 'dust.found' })
    expect(payout).to.deep.include({ status: 'pending', attempts: 0, nextAttemptAt: later(3600) })
    expect(effects).to.deep.equal([])
  })

  it('gets only a new lease when its attempt is resumed', () => {
    const stale = buildPayout({ status: 'processing', attempts: 2, leasedUntil: later(-1) })
    const { payout } = decide(stale, { type: 'worker.resumed', leaseSeconds: 60 })
    expect(payout).to.deep.equal({ ...stale, leasedUntil: later(60) })
  })

  it('has neither lease nor hold once its transaction is signed', () => {
    const leased = buildPayout({ status: 'processing', leasedUntil: later(30), heldSince: later(-7200) })
    const { payout } = decide(leased, { type: 'transaction.signed' })
    expect(payout).to.deep.equal({ ...leased, leasedUntil: null, heldSince: null })
  })

  it('is the same object after a fact that changes nothing', () => {
    const completed = buildPayout({ status: 'completed' })
    const decision = decide(completed, { type: 'nothing.found' })
    expect(decision.payout).to.equal(completed)
    expect(decision.effects).to.deep.equal([])
  })
})

function decide(payout: PayoutProgress, news: PayoutUpdate) {
  return decidePayout(payout, news, NOW)
}

function failed(): PayoutUpdate {
  return { type: 'attempt.failed', error: 'no node', attemptDelaysSeconds: SCHEDULE }
}

function buildPayout(columns: Partial<PayoutProgress>): PayoutProgress {
  return {
    status: 'pending',
    attempts: 0,
    availableSince: later(-300),
    graceEndsAt: NOW,
    nextAttemptAt: NOW,
    leasedUntil: null,
    heldSince: null,
    processingStartedAt: null,
    completedAt: null,
    distributorAddress: null,
    txHash: null,
    lastError: null,
    ...columns,
  }
}

function later(seconds: number): Date {
  return new Date(NOW.getTime() + seconds * 1000)
}
