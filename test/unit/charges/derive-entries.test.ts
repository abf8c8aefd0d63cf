import { expect } from 'chai'
import { replayTurns } from '../../../indexer/charges/derive-entries.ts'
import type { AccountingEntry } from '../../../shared/domain/accounting/entry.ts'
import { atto } from '../../../shared/domain/money.ts'
import { buildBookedCharge, buildFact, sumAccounts } from '../../support/accounting-facts.ts'
import { KEEPER } from '../../support/factories.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')

describe('the entries that follow from the rows of a charge', () => {
  it('need about twice as many reads of rows for twice as many dust payments', () => {
    const [once, twice] = [countReads(200), countReads(400)]
    expect(twice / once).to.be.within(1.5, 2.1)
  })

  it('are in the order in which turns counted or struck the rows, not in the order of the blocks', () => {
    const entries = replayTurns(charge({ confirmedAt: at(2) }), [
      buildFact({ amountAtto: atto(4n * 10n ** 18n), minedAt: at(0), countedAt: at(2) }),
      buildFact({ amountAtto: atto(6n * 10n ** 18n), minedAt: at(1), countedAt: at(1), struckAt: at(3) }),
    ])
    expect(entries.map(({ category, countedAt }) => [category, countedAt])).to.deep.equal([
      ['payment', at(1)],
      ['payment', at(2)],
      ['sale', at(2)],
      ['adjustment', at(3)],
      ['adjustment', at(3)],
    ])
  })

  it('date a sale by the payments that still count, not by a struck payment', () => {
    const entries = replayTurns(charge({ confirmedAt: at(10) }), [
      buildFact({ minedAt: at(5), countedAt: at(10), struckAt: at(20) }),
      buildFact({ minedAt: at(3), countedAt: at(30) }),
    ])
    expect(entries.filter(isSale).map(({ postedAt }) => postedAt)).to.deep.equal([at(5), at(3)])
  })

  it('date the sale of an escrow by the release that still counts, not by a struck release', () => {
    const escrow = charge({ escrowReleaser: KEEPER, escrowReleasedAt: at(10) })
    const release = { event: 'moved', party: escrow.splitAddress } as const
    const entries = replayTurns(escrow, [
      buildFact({ minedAt: at(1), countedAt: at(10) }),
      buildFact({ ...release, minedAt: at(5), countedAt: at(10), struckAt: at(20) }),
      buildFact({ ...release, minedAt: at(3), countedAt: at(30) }),
    ])
    expect(entries.filter(isSale).map(({ postedAt }) => postedAt)).to.deep.equal([at(5), at(3)])
  })

  it('allocate a sale in the order of the payments that still count', () => {
    const entries = replayTurns(charge({ confirmedAt: at(10) }), [
      buildFact({ minedAt: at(1), countedAt: at(10), struckAt: at(20) }),
      buildFact({ chain: 'bnb', minedAt: at(4), countedAt: at(30) }),
      buildFact({ minedAt: at(9), countedAt: at(30) }),
    ])
    expect(entries.filter(isSale).map(({ network }) => network)).to.deep.equal(['base', 'bnb'])
  })

  it('allocate the sale of a struck payment to another payment immediately, dated at the strike', () => {
    const entries = replayTurns(charge({ confirmedAt: at(10) }), [
      buildFact({ minedAt: at(1), countedAt: at(10), struckAt: at(20) }),
      buildFact({ chain: 'bnb', minedAt: at(4), countedAt: at(12) }),
    ])
    const [, resale] = entries.filter(isSale)
    expect(resale).to.deep.include({ network: 'bnb', corrects: null, postedAt: at(20), countedAt: at(20) })
    expect(sumAccounts(entries, 'sales')).to.equal(-(10n ** 19n))
    expect(sumAccounts(entries, 'liability')).to.equal(0n)
  })

  it('cannot be derived from an invalid row, and the error names the charge', () => {
    const spoilt = buildFact({ event: 'distributed', decimals: 19 })
    expect(() => replayTurns(charge({ id: 'ch_spoilt' }), [spoilt])).to.throw(
      'the books of ch_spoilt cannot be derived: Error: Broken invariant: a token with 19 decimals',
    )
  })
})

function isSale({ category }: AccountingEntry): boolean {
  return category === 'sale'
}

function charge(columns: Partial<Parameters<typeof replayTurns>[0]> = {}): Parameters<typeof replayTurns>[0] {
  const times = { confirmedAt: null, settledAt: null, escrowReleasedAt: null, escrowRefundedAt: null }
  return { ...buildBookedCharge(), ...times, ...columns }
}

/** Counts the reads of rows’ properties for payments of a millionth of a dollar, each counted in its own turn. */
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
