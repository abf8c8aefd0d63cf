import { readBookedCharges, readBooks } from '../../shared/db/accounting/daemon/booked-charges.ts'
import { insertEntries } from '../../shared/db/accounting/daemon/insert-entries.ts'
import { type Counted, listLedgerFacts } from '../../shared/db/accounting/daemon/ledger-facts.ts'
import type { Db } from '../../shared/db/connect.ts'
import { buildEntries } from '../../shared/domain/accounting/build-entries.ts'
import { toBookedCharge } from './booked-charge.ts'
import { deriveEntries } from './derive-entries.ts'
import { groupByCharge } from './group-by-charge.ts'

/**
 * Writes the accounting entries of one turn of several charges. The caller must hold the charges' locks. Must run in
 * the turn's transaction, after the charges and the counted rows were written, so that books and ledgers never differ.
 *
 * If a charge has no entries, all of its entries are derived from the ledgers, because an older version of the service
 * counted money without writing entries.
 */
export async function writeEntries(
  db: Db,
  turn: { readonly chargeIds: readonly string[]; readonly counted: Counted; readonly now: Date },
): Promise<void> {
  const { chargeIds, counted, now } = turn
  const facts = groupByCharge(await listLedgerFacts(db, { chargeIds, counted }))
  const books = await readBooks(db, chargeIds)
  const withoutBooks = chargeIds.filter((id) => !books.has(id))
  const derived = withoutBooks.length === 0 ? [] : await deriveEntries(db, withoutBooks)
  const charges = await readBookedCharges(
    db,
    chargeIds.filter((id) => books.has(id)),
  )
  const entries = charges.flatMap((charge) =>
    buildEntries(toBookedCharge(charge), {
      ...{ books: books.get(charge.id) ?? new Map(), facts: facts.get(charge.id) ?? [] },
      ...{ now, isStrike: false },
    }),
  )
  await insertEntries(db, [...derived, ...entries])
}
