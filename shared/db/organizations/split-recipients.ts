import type { Address, AddressFamily } from '../../domain/address.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connect.ts'

/** Where a registered recipient is paid. */
export type RegisteredRecipient = {
  readonly id: string
  readonly address: Address
  readonly family: AddressFamily
}

/** Finds those of these recipients that are the tenant's and not revoked, in no particular order. */
export async function findSplitRecipients(
  db: Db,
  input: { tenant: Tenant; ids: readonly string[] },
): Promise<readonly RegisteredRecipient[]> {
  const { tenant, ids } = input
  return await db<RegisteredRecipient[]>`
    select r.id, r.address, r.family from recipients r
    where r.id = any (${ids}) and r.organization_id = ${tenant.organizationId}
      and r.environment = ${tenant.environment} and r.revoked_at is null`
}
