import type { Address } from '../../../domain/address.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import type { Db } from '../../connect.ts'

/**
 * Describes an address that must not receive refunds, because it belongs to the service, to a charge, or to the
 * organization; `null` for any other address. The treasury is found even if the charge pays it no fee.
 */
export async function findKnownAddress(
  db: Db,
  { organizationId, environment, address }: Tenant & { readonly address: Address },
): Promise<string | null> {
  const [row] = await db<{ problem: string }[]>`
    select 'the address of a charge' as problem from charges where address = ${address}
    union all
    select 'the split of a charge' from charges where split_address = ${address} and escrow_releaser is not null
    union all
    select 'the treasury of this service' from service_terms where treasury = ${address}
    union all
    select 'a factory of this service' from service_terms where factory = ${address}
    union all
    select 'a factory of this service' from trusted_factories where factory = ${address}
    union all
    select 'an account of this service' from relayers where lower(address) = ${address}
    union all
    select 'a payout wallet of your organization' from recipients
    where organization_id = ${organizationId} and environment = ${environment} and address = ${address}
      and payout and revoked_at is null
    limit 1`
  return row?.problem ?? null
}
