import type { BookedChargeRow } from '../../shared/db/accounting/daemon/booked-charges.ts'
import type { BookedCharge } from '../../shared/domain/accounting/build-entries.ts'

/**
 * Returns the charge as its books use it: with the confirmation, settlement and escrow end as of `at`, by default as of
 * now.
 */
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
