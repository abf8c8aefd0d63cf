import type { Address } from '../../../domain/address.ts'
import type { RefundRecord, RefundStatus } from '../../../domain/refund/refund.ts'
import type { Db } from '../../connect.ts'
import { refundColumns, type StoredRefund, toRefund } from '../refund-row.ts'

/** Finds the oldest simulated refund of a charge that has this status; `null` if there is none. */
export async function findSimulatedRefund(
  db: Db,
  { chargeId, status }: { readonly chargeId: string; readonly status: RefundStatus },
): Promise<RefundRecord | null> {
  const [row] = await db<StoredRefund[]>`
    select ${refundColumns(db)} from refunds r
    where r.charge_id = ${chargeId} and r.chain_id is null and r.status = ${status}
    order by r.id limit 1`
  return row === undefined ? null : toRefund(row)
}

/** Finds the sender of the charge's first credited simulated payment that has a sender; `null` if there is none. */
export async function findSimulatedPayer(db: Db, chargeId: string): Promise<Address | null> {
  const [row] = await db<{ sender: Address }[]>`
    select sender from transfers
    where charge_id = ${chargeId} and chain_id is null and credited_at is not null and sender is not null
    order by id limit 1`
  return row?.sender ?? null
}
