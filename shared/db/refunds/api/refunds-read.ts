import type { RefundRecord } from '../../../domain/refund/refund.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import type { Db } from '../../connect.ts'
import { refundColumns, type StoredRefund, toRefund } from '../refund-row.ts'

/** Finds a refund of a tenant; `null` if the tenant has no such refund. */
export async function findRefund(
  db: Db,
  { tenant, id }: { readonly tenant: Tenant; readonly id: string },
): Promise<RefundRecord | null> {
  const [row] = await db<StoredRefund[]>`
    select ${refundColumns(db)} from refunds r
    where r.id = ${id} and r.organization_id = ${tenant.organizationId} and r.environment = ${tenant.environment}`
  return row === undefined ? null : toRefund(row)
}

/** Finds the refund of a charge by the hash of the secret in its payer's link; `null` if there is none. */
export async function findRefundByLink(
  db: Db,
  { chargeId, claimHash }: { readonly chargeId: string; readonly claimHash: string },
): Promise<RefundRecord | null> {
  const [row] = await db<StoredRefund[]>`
    select ${refundColumns(db)} from refunds r where r.charge_id = ${chargeId} and r.claim_hash = ${claimHash}`
  return row === undefined ? null : toRefund(row)
}

/** Returns whether a refund of the charge was declared with this idempotency key. */
export async function hasDeclaredRefund(
  db: Db,
  { chargeId, idempotencyKey }: { readonly chargeId: string; readonly idempotencyKey: string },
): Promise<boolean> {
  const rows = await db`
    select from refunds where charge_id = ${chargeId} and idempotency_key = ${idempotencyKey}`
  return rows.length > 0
}

/** Lists the refunds of a tenant's charge, newest first. */
export async function listRefunds(
  db: Db,
  { tenant, chargeId }: { readonly tenant: Tenant; readonly chargeId: string },
): Promise<readonly RefundRecord[]> {
  const rows = await db<StoredRefund[]>`
    select ${refundColumns(db)} from refunds r
    where r.charge_id = ${chargeId} and r.organization_id = ${tenant.organizationId}
      and r.environment = ${tenant.environment}
    order by r.id desc`
  return rows.map(toRefund)
}
