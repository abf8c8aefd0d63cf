import { readBookedCharges, readBooks } from '../../shared/db/accounting/daemon/booked-charges.ts'
import { insertEntries } from '../../shared/db/accounting/daemon/insert-entries.ts'
import { listLedgerFacts, type NewFacts } from '../../shared/db/accounting/daemon/ledger-facts.ts'
import type { Db } from '../../shared/db/connect.ts'
import { buildEntries } from '../../shared/domain/accounting/build-entries.ts'
import { toBookedCharge } from './booked-charge.ts'
import { deriveEntries } from './derive-entries.ts'

/**
 * Writes the entries of charges whose locks the caller holds, after the rows that a turn counted, or an order struck,
 * and the charges themselves were written. In the same transaction, so that books and ledgers never differ.
 *
 * All entries of a charge without books are derived: a version without books might have counted money of it before.
 */
export async function writeEntries(db: Db, selection: NewFacts, now: Date): Promise<void> {
  const { chargeIds } = selection
  const facts = await listLedgerFacts(db, selection)
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
      facts: facts.filter(({ chargeId }) => chargeId === charge.id),
      now,
    }),
  )
  await insertEntries(db, [...derived, ...entries])
}
