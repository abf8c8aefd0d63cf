import type { RefundRecord } from '../../../domain/refund/refund.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import type { Db } from '../../connect.ts'
import { refundColumns } from '../refund-row.ts'

/** Finds a refund of a tenant; `null` if none exists. */
export async function findRefund(
  db: Db,
  { tenant, id }: { readonly tenant: Tenant; readonly id: string },
): Promise<RefundRecord | null> {
  const [row] = await db<RefundRecord[]>`
    select ${refundColumns(db)} from refunds r
    where r.id = ${id} and r.organization_id = ${tenant.organizationId} and r.environment = ${tenant.environment}`
  return row ?? null
}

/** Lists the refunds of a tenant's charge, newest first. */
export async function listRefunds(
  db: Db,
  { tenant, chargeId }: { readonly tenant: Tenant; readonly chargeId: string },
): Promise<readonly RefundRecord[]> {
  return db<RefundRecord[]>`
    select ${refundColumns(db)} from refunds r
    where r.charge_id = ${chargeId} and r.organization_id = ${tenant.organizationId}
      and r.environment = ${tenant.environment}
    order by r.id desc`
}
