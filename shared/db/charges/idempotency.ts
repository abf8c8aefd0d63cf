import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connect.ts'

/** The charge an idempotency key was used for, and the hash of the request that made it. */
export type EarlierRequest = { readonly chargeId: string; readonly requestHash: Buffer }

/** Finds what a tenant used this idempotency key for, or answers `null`. */
export async function findEarlierRequest(
  db: Db,
  input: { tenant: Tenant; idempotencyKey: string },
): Promise<EarlierRequest | null> {
  const [row] = await db<EarlierRequest[]>`
    select c.id as charge_id, c.request_hash from charges c
    where c.organization_id = ${input.tenant.organizationId} and c.environment = ${input.tenant.environment}
      and c.idempotency_key = ${input.idempotencyKey}`
  return row ?? null
}
