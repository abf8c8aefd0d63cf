import {
  type BookedChargeRow,
  readBookedCharges,
  readBooks,
} from '../../shared/db/accounting/daemon/booked-charges.ts'
import { insertEntries } from '../../shared/db/accounting/daemon/insert-entries.ts'
import { listLedgerFacts, type NewFacts } from '../../shared/db/accounting/daemon/ledger-facts.ts'
import type { Db } from '../../shared/db/connect.ts'
import { type BookedCharge, buildEntries } from '../../shared/domain/accounting/build-entries.ts'

/**
 * Writes the entries of charges whose locks the caller holds, after the rows that a turn counted, or an order struck,
 * and the charges themselves were written. In the same transaction, so that books and ledgers never differ.
 */
export async function writeEntries(db: Db, selection: NewFacts, now: Date): Promise<void> {
  const { chargeIds } = selection
  const facts = await listLedgerFacts(db, selection)
  const books = await readBooks(db, chargeIds)
  const charges = await readBookedCharges(db, chargeIds)
  const entries = charges.flatMap((charge) =>
    buildEntries(toBookedCharge(charge), {
      books: books.get(charge.id) ?? new Map(),
      facts: facts.filter(({ chargeId }) => chargeId === charge.id),
      now,
    }),
  )
  await insertEntries(db, entries)
}

/** Returns a charge as its books saw it at a time; by default, as it is. */
export function toBookedCharge(row: BookedChargeRow, at?: Date): BookedCharge {
  const { confirmedAt, settledAt, escrowReleasedAt, escrowRefundedAt, ...terms } = row
  const has = (moment: Date | null) => moment !== null && (at === undefined || moment <= at)
  return {
    ...terms,
    isConfirmed: has(confirmedAt),
    isSettled: has(settledAt),
    escrowEnd: has(escrowReleasedAt) ? 'released' : has(escrowRefundedAt) ? 'refunded' : null,
  }
}
