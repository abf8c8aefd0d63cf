import { readBookedCharges, readBooks } from '../../shared/db/accounting/daemon/booked-charges.ts'
import { insertEntries } from '../../shared/db/accounting/daemon/insert-entries.ts'
import { type Counted, listLedgerFacts } from '../../shared/db/accounting/daemon/ledger-facts.ts'
import type { Db } from '../../shared/db/connect.ts'
import { buildEntries } from '../../shared/domain/accounting/build-entries.ts'
import { toBookedCharge } from './booked-charge.ts'
import { deriveEntries } from './derive-entries.ts'
import { groupByCharge } from './group-by-charge.ts'

/**
 * Writes the accounting entries of several charges that each take a turn in this transaction. The caller must hold the
 * charges' locks, and must have written the charges and the counted rows, so that the books never differ from them.
 *
 * If a charge has no entries yet, they are derived from all of its counted rows, not only from those of this turn,
 * because an older version of the service may have counted rows without writing entries.
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
