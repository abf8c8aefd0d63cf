import { readBookedCharges, readBooks } from '../../shared/db/accounting/daemon/booked-charges.ts'
import { insertEntries } from '../../shared/db/accounting/daemon/insert-entries.ts'
import { listLedgerFacts } from '../../shared/db/accounting/daemon/ledger-facts.ts'
import type { Db } from '../../shared/db/connect.ts'
import { buildEntries, buildReversals } from '../../shared/domain/accounting/build-entries.ts'
import { toBookedCharge } from './booked-charge.ts'
import { deriveEntries } from './derive-entries.ts'

/**
 * Writes the accounting entries of a strike: the reversal of the struck row, then the correction of the charge's sales.
 * Must run after the strike, in the same transaction. The caller must hold the charge's lock.
 */
export async function writeStrikeEntries(
  db: Db,
  { chargeId, orderId, now }: { readonly chargeId: string; readonly orderId: number; readonly now: Date },
): Promise<void> {
  const chargeIds = [chargeId]
  const books = (await readBooks(db, chargeIds)).get(chargeId)
  // An older version of the service wrote no entries (see `writeEntries`).
  if (books === undefined) return insertEntries(db, await deriveEntries(db, chargeIds))
  const strikes = await listLedgerFacts(db, { chargeIds, strikeOrderId: orderId })
  for (const row of await readBookedCharges(db, chargeIds)) {
    const charge = toBookedCharge(row)
    await insertEntries(db, buildReversals(charge, { books, strikes }))
    // Read the books again, because without the struck row another payment can be the first or the last.
    const left = (await readBooks(db, chargeIds)).get(chargeId) ?? books
    await insertEntries(db, buildEntries(charge, { books: left, facts: [], now, isStrike: true }))
  }
}
