import { lockForBooks } from '../../shared/db/accounting/daemon/list-booked-charges.ts'
import type { Db } from '../../shared/db/connect.ts'
import { lockRefund } from '../../shared/db/refunds/refund-row.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { RefundRecord } from '../../shared/domain/refund/refund.ts'

/** The id of a refund, and of the charge that the request names. */
export type OfCharge = { readonly chargeId: string; readonly id: string }

/**
 * Locks a charge and its refund, and returns the refund.
 *
 * @throws {AppError} `refund_not_found` if the charge has no such refund
 */
export async function lockRefundOf(db: Db, { chargeId, id }: OfCharge): Promise<RefundRecord> {
  await lockForBooks(db, [chargeId])
  const refund = await lockRefund(db, id)
  if (refund !== null && refund.chargeId === chargeId) return refund
  throw new AppError('refund_not_found', `the charge has no refund ${id}`)
}
