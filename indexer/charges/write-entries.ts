import { readBookedCharges, readBooks } from '../../shared/db/accounting/daemon/booked-charges.ts'
import { insertEntries, listStoredIds } from '../../shared/db/accounting/daemon/insert-entries.ts'
import { listLedgerFacts, type NewFacts } from '../../shared/db/accounting/daemon/ledger-facts.ts'
import type { Db } from '../../shared/db/connect.ts'
import { buildEntries } from '../../shared/domain/accounting/build-entries.ts'
import { buildFactEntryId } from '../../shared/domain/accounting/entry-id.ts'
import type { LedgerFact } from '../../shared/domain/accounting/ledger-fact.ts'
import { toBookedCharge } from './booked-charge.ts'
import { deriveEntries } from './derive-entries.ts'
import { groupByCharge } from './group-by-charge.ts'

/**
 * Writes the entries of charges whose locks the caller holds. It must run after the charges and the rows that a turn
 * counted, or that an order struck, were written, and in the same transaction, so that books and ledgers never differ.
 *
 * For a charge without books, all entries are derived, because an older version of the service, which wrote no entries,
 * might have counted money for it.
 */
export async function writeEntries(db: Db, selection: NewFacts, now: Date): Promise<void> {
  const { chargeIds } = selection
  const facts = groupByCharge(await omitBooked(db, await listLedgerFacts(db, selection)))
  const books = await readBooks(db, chargeIds)
  const withoutBooks = chargeIds.filter((id) => !books.has(id))
  const derived = withoutBooks.length === 0 ? [] : await deriveEntries(db, withoutBooks)
  const charges = await readBookedCharges(
    db,
    chargeIds.filter((id) => books.has(id)),
  )
  const entries = charges.flatMap((charge) =>
    buildEntries(toBookedCharge(charge), {
      books: books.get(charge.id) ?? new Map(),
      facts: facts.get(charge.id) ?? [],
      now,
    }),
  )
  await insertEntries(db, [...derived, ...entries])
}

/**
 * Omits facts that have an entry. Rows are selected by the time of the turn, so another turn in the same millisecond
 * might have booked some.
 */
async function omitBooked(db: Db, facts: readonly LedgerFact[]): Promise<readonly LedgerFact[]> {
  const stored = await listStoredIds(db, facts.map(buildFactEntryId))
  return facts.filter((fact) => !stored.has(buildFactEntryId(fact)))
}
