import { type BookedChargeRow, readBookedCharges } from '../../shared/db/accounting/daemon/booked-charges.ts'
import { listLedgerFacts } from '../../shared/db/accounting/daemon/ledger-facts.ts'
import type { Db } from '../../shared/db/connect.ts'
import { type Books, post } from '../../shared/domain/accounting/books.ts'
import { buildEntries } from '../../shared/domain/accounting/build-entries.ts'
import type { AccountingEntry } from '../../shared/domain/accounting/entry.ts'
import type { LedgerFact } from '../../shared/domain/accounting/ledger-fact.ts'
import { toBookedCharge } from './booked-charge.ts'
import { groupByCharge } from './group-by-charge.ts'

/**
 * Derives all entries of charges whose locks the caller holds, from the rows that counted, without reading a stored
 * entry. They equal the entries that the daemon wrote turn by turn.
 */
export async function deriveEntries(
  db: Db,
  chargeIds: readonly string[],
): Promise<readonly AccountingEntry[]> {
  const facts = groupByCharge(await listLedgerFacts(db, { chargeIds }))
  const charges = await readBookedCharges(db, chargeIds)
  return charges.flatMap((charge) => replayTurns(charge, facts.get(charge.id) ?? []))
}

/**
 * Returns the entries of a charge, from all of its facts in the order in which they were mined. Reads each fact at most
 * a constant number of times, because anyone can send dust to a charge.
 */
export function replayTurns(
  charge: BookedChargeRow,
  facts: readonly LedgerFact[],
): readonly AccountingEntry[] {
  let books: Books = new Map()
  return listTurns(charge, facts).flatMap(({ now, counted }) => {
    const entries = buildEntries(toBookedCharge(charge, now), { books, facts: counted, now })
    books = entries.reduce(post, books)
    return entries
  })
}

type Turn = { readonly now: Date; readonly isStrike: boolean; readonly counted: LedgerFact[] }

/**
 * Groups the facts by turn. Rows counted in one turn have the turn's time, and so do the turn's decisions about the
 * charge. A strike is a turn of its own.
 */
function listTurns(charge: BookedChargeRow, facts: readonly LedgerFact[]): readonly Turn[] {
  const turns = new Map<string, Turn>()
  const turnAt = (now: Date, isStrike: boolean): Turn => {
    const key = `${now.getTime()} ${isStrike}`
    const turn = turns.get(key) ?? { now, isStrike, counted: [] }
    turns.set(key, turn)
    return turn
  }
  const { confirmedAt, settledAt, escrowReleasedAt, escrowRefundedAt } = charge
  for (const at of [confirmedAt, settledAt, escrowReleasedAt, escrowRefundedAt])
    if (at !== null) turnAt(at, false)
  for (const fact of facts) {
    // A struck row had counted before its strike.
    turnAt(fact.countedAt, false).counted.push({ ...fact, struckAt: null })
    if (fact.struckAt !== null) turnAt(fact.struckAt, true).counted.push(fact)
  }
  return [...turns.values()].sort(
    (a, b) => a.now.getTime() - b.now.getTime() || Number(a.isStrike) - Number(b.isStrike),
  )
}
