import { expect } from 'chai'
import * as fc from 'fast-check'
import type { ChargeEventType } from '../../machines/charge.ts'
import { microToAtto } from '../../shared/domain/money.ts'
import { buildCharge } from '../support/factories.ts'
import { isOnTime, isOpen, type Lived, listCredits, live, lives, type Step, sum } from './charge-life.ts'

const TARGET = microToAtto(buildCharge().amountMicro)

describe('a charge, after any sequence of facts,', () => {
  it('has always received the sum of its credits, both on time and late', () => {
    check((lived, steps) => {
      for (const [turn, { charge, ledgers }] of lived.entries()) {
        const credits = listCredits(steps.slice(0, turn + 1))
        expect(charge.receivedAtto).to.equal(credits.length === 0 ? null : sum(credits))
        expect(charge.onTimeAtto).to.equal(sum(credits.filter(isOnTime)))
        for (const ledger of ledgers) {
          const onPair = credits.filter(({ tokenAddress }) => tokenAddress === ledger.tokenAddress)
          expect(ledger.creditedAtomic).to.equal(onPair.reduce((all, row) => all + row.valueAtomic, 0n))
        }
      }
    })
  })

  it('marks every credit once, as in time or late', () => {
    check((lived, steps) => {
      const decided = lived.flatMap(({ decision }) => decision.credits)
      expect(decided.map(({ id, blockHash, onTime }) => ({ id, blockHash, onTime }))).to.deep.equal(
        listCredits(steps).map((row) => ({ id: row.id, blockHash: row.blockHash, onTime: isOnTime(row) })),
      )
    })
  })

  it('is finally confirmed if it was fully paid in time, underpaid if only a part was, and otherwise expired', () => {
    check((lived, steps) => {
      const inTime = sum(listCredits(steps).filter(isOnTime))
      const expected = inTime >= TARGET ? 'confirmed' : inTime > 0n ? 'underpaid' : 'expired'
      expect(lived.at(-1)?.charge.status).to.equal(expected)
    })
  })

  it('is partially paid from the first payment in time until it ends', () => {
    check((lived) => {
      for (const { charge } of lived.filter((moment) => isOpen(moment.charge)))
        expect(charge.status).to.equal(charge.onTimeAtto > 0n ? 'partially_paid' : 'pending')
    })
  })

  it('never leaves a final status', () => {
    check((lived) => {
      const final = lived.map(({ charge }) => charge).filter((charge) => !isOpen(charge))
      expect(
        new Set(final.map(({ status, confirmedAt }) => `${status} ${confirmedAt?.getTime()}`)).size,
      ).to.equal(1)
    })
  })

  it('sends each event at most once, and charge.overpaid if and only if it is overpaid', () => {
    check((lived, steps) => {
      const events = lived.flatMap(({ decision }) => decision.events)
      expect(events).to.deep.equal([...new Set(events)])
      expect(events.includes('charge.overpaid')).to.equal(sum(listCredits(steps)) > TARGET)
    })
  })

  it('sends exactly one event for each status that it changes to, in order', () => {
    const words = ['charge.partially_paid', 'charge.confirmed', 'charge.expired', 'charge.underpaid']
    check((lived, steps) => {
      const told = lived.flatMap(({ decision }) => decision.events.filter((event) => words.includes(event)))
      const taken = statusesOf(steps).map((status): string => `charge.${status}`)
      expect(told).to.deep.equal(taken as ChargeEventType[])
    })
  })

  it('ends with the same status, amounts and pairs if the facts before and after the deadline are joined into one turn each', () => {
    fc.assert(
      fc.property(lives, (steps) => {
        const end = live(steps).at(-1)?.charge
        const deadline = steps.findIndex(({ isDeadlinePassed }) => isDeadlinePassed)
        const inTwo = [joined(steps.slice(0, deadline + 1)), joined(steps.slice(deadline + 1))]
        const other = live(inTwo).at(-1)?.charge
        for (const key of ['status', 'receivedAtto', 'onTimeAtto', 'paidWith'] as const)
          expect(other?.[key]).to.deep.equal(end?.[key])
      }),
    )
  })
})

function check(law: (lived: readonly Lived[], steps: readonly Step[]) => void): void {
  fc.assert(fc.property(lives, (steps) => law(live(steps), steps)))
}

/** Returns the statuses after `pending`, derived only from the credits on time. */
function statusesOf(steps: readonly Step[]): readonly string[] {
  const inTime = listCredits(steps).filter(isOnTime)
  const first = inTime[0]
  if (first === undefined) return ['expired']
  const end = sum(inTime) >= TARGET ? 'confirmed' : 'underpaid'
  return first.amountAtto >= TARGET ? [end] : ['partially_paid', end]
}

function joined(steps: readonly Step[]): Step {
  return {
    credits: listCredits(steps),
    splitEvents: steps.flatMap(({ splitEvents }) => splitEvents),
    isDeadlinePassed: steps.some(({ isDeadlinePassed }) => isDeadlinePassed),
    facts: steps.flatMap(({ facts }) => facts),
  }
}
