import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  type ComparisonContext,
  getLeadMs,
  scheduleComparison,
} from '../../indexer/reconciliation/next-comparison.ts'
import { newId } from '../../shared/domain/ids.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ACTIVE_MS = Date.UTC(2026, 0, 1)

const chargeIds = fc.integer({ min: 1, max: 2 ** 40 }).map((ms) => newId('ch', ms))
/** Ages from the end of the range scans up to ten years. */
const agesMs = fc.integer({ min: 25 * HOUR_MS, max: 3_650 * DAY_MS })
const growths = fc.constantFrom(2, 4)

function termsOf(terms: Partial<ComparisonContext> & { readonly ageMs: number }): ComparisonContext {
  const { ageMs, ...rest } = terms
  const times = { activeAt: new Date(ACTIVE_MS), comparedAt: new Date(ACTIVE_MS + ageMs) }
  return { chargeId: 'ch_one', growth: 2, isUrgent: false, isFirst: false, ...times, ...rest }
}

function nextAgeOf(terms: ComparisonContext): number {
  return scheduleComparison(terms).dueAt.getTime() - terms.activeAt.getTime()
}

describe('the next comparison of a charge', () => {
  it('is due when the charge’s age has grown by the factor of its family', () => {
    fc.assert(
      fc.property(agesMs, growths, (ageMs, growth) => {
        expect(nextAgeOf(termsOf({ ageMs, growth }))).to.equal(ageMs * growth)
      }),
    )
  })

  it('is due within the interval if the charge was never compared, so that no transfer waits longer', () => {
    fc.assert(
      fc.property(chargeIds, agesMs, growths, (chargeId, ageMs, growth) => {
        const age = nextAgeOf(termsOf({ chargeId, ageMs, growth, isFirst: true }))
        expect(age).to.be.within(ageMs, ageMs * growth)
      }),
    )
  })

  it('is due within an hour if the charge is urgent, however old it is', () => {
    fc.assert(
      fc.property(chargeIds, agesMs, fc.boolean(), (chargeId, ageMs, isFirst) => {
        const age = nextAgeOf(termsOf({ chargeId, ageMs, isFirst, isUrgent: true }))
        expect(age - ageMs).to.be.within(0, HOUR_MS)
      }),
    )
  })

  it('is never due before the previous comparison', () => {
    fc.assert(
      fc.property(fc.nat(3 * DAY_MS), fc.boolean(), fc.boolean(), (ageMs, isFirst, isUrgent) => {
        expect(nextAgeOf(termsOf({ ageMs, isFirst, isUrgent }))).to.be.at.least(ageMs)
      }),
    )
  })

  it('is due by the time the age at the previous comparison has doubled, even if comparisons take place early', () => {
    fc.assert(
      fc.property(
        agesMs,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }),
        (first, early) => {
          let ageMs = first
          for (const part of early) {
            const terms = termsOf({ ageMs })
            const lead = Math.floor(part * getLeadMs(scheduleComparison(terms).span))
            const next = nextAgeOf(terms) - lead
            expect(next, 'the age at a comparison that took place before it was due').to.be.within(
              ageMs,
              2 * ageMs,
            )
            ageMs = next
          }
        },
      ),
    )
  })

  it('is spread evenly over the interval for charges of the same age, by their ids', () => {
    const ageMs = 30 * DAY_MS
    const tenths = Array.from({ length: 10 }, () => 0)
    for (let count = 0; count < 5_000; count += 1) {
      const age = nextAgeOf(termsOf({ chargeId: newId('ch', ACTIVE_MS), ageMs, isFirst: true }))
      const tenth = Math.min(9, Math.floor(Math.log2(age / ageMs) * 10))
      tenths[tenth] = (tenths[tenth] ?? 0) + 1
    }
    for (const tenth of tenths) expect(tenth).to.be.within(350, 650)
  })

  it('is the same for the same charge on every daemon', () => {
    const terms = termsOf({ chargeId: 'ch_some', ageMs: 40 * HOUR_MS, isFirst: true })
    expect(scheduleComparison(terms)).to.deep.equal(scheduleComparison({ ...terms }))
  })

  it('has a span of an hour for urgent charges, and of a power of two in days for other charges', () => {
    const spanOf = (days: number, isUrgent = false) =>
      scheduleComparison(termsOf({ ageMs: days * DAY_MS, isUrgent })).span
    expect([spanOf(1.5), spanOf(2), spanOf(3.9), spanOf(100), spanOf(100, true)]).to.deep.equal([
      0, 1, 1, 6, -1,
    ])
    expect([getLeadMs(-1), getLeadMs(0), getLeadMs(6)]).to.deep.equal([HOUR_MS / 4, DAY_MS / 4, 16 * DAY_MS])
  })
})
