import { expect } from 'chai'
import { replayTurns } from '../../../indexer/charges/derive-entries.ts'
import { atto } from '../../../shared/domain/money.ts'
import { buildBookedCharge, buildFact } from '../../support/accounting-facts.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')

describe('the entries that follow from the rows of a charge', () => {
  it('take only twice the work for twice as many dust payments', () => {
    const [once, twice] = [countReads(200), countReads(400)]
    expect(twice / once).to.be.within(1.5, 2.1)
  })

  it('are the entries of the turns that counted the rows, in the order of these turns', () => {
    const entries = replayTurns(charge({ confirmedAt: at(2) }), [
      buildFact({ amountAtto: atto(4n * 10n ** 18n), minedAt: at(0), countedAt: at(2) }),
      buildFact({ amountAtto: atto(6n * 10n ** 18n), minedAt: at(1), countedAt: at(1), struckAt: at(2) }),
    ])
    expect(entries.map(({ category, countedAt }) => [category, countedAt])).to.deep.equal([
      ['payment', at(1)],
      ['payment', at(2)],
      ['sale', at(2)],
      ['adjustment', at(2)],
      ['adjustment', at(2)],
    ])
  })

  it('cannot be derived from a broken row, and the error names the charge, because it is then quarantined', () => {
    const spoilt = buildFact({ event: 'distributed', decimals: 19 })
    expect(() => replayTurns(charge({ id: 'ch_spoilt' }), [spoilt])).to.throw(
      'the books of ch_spoilt cannot be derived: Error: Broken invariant: a token with 19 decimals',
    )
  })
})

function charge(columns: Partial<Parameters<typeof replayTurns>[0]> = {}): Parameters<typeof replayTurns>[0] {
  const times = { confirmedAt: null, settledAt: null, escrowReleasedAt: null, escrowRefundedAt: null }
  return { ...buildBookedCharge(), ...times, ...columns }
}

/**
 * Counts how often properties of rows are read for the given number of payments of one unit, each counted in its own
 * turn.
 */
function countReads(payments: number): number {
  let reads = 0
  const facts = Array.from({ length: payments }, (_, index) => {
    const fact = buildFact({ amountAtto: atto(10n ** 12n), minedAt: at(index), countedAt: at(index) })
    return new Proxy(fact, {
      get: (target, name) => {
        reads += 1
        return Reflect.get(target, name) as unknown
      },
    })
  })
  expect(replayTurns(charge(), facts)).to.have.length(payments)
  return reads
}

function at(seconds: number): Date {
  return new Date(NOON + seconds * 1000)
}
