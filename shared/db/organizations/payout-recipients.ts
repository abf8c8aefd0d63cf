import type { Address, ChainFamilyName } from '../../domain/address.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connect.ts'

type PayoutAddress = Tenant & { readonly address: Address; readonly family: ChainFamilyName }

/**
 * Returns whether an address is a payout recipient of the tenant: not revoked, and with `payout`.
 *
 * Locks the recipient against changes until the transaction ends, so that the result stays valid.
 */
export async function lockPayoutRecipient(db: Db, key: PayoutAddress): Promise<boolean> {
  const rows = await db`
    select from recipients
    where organization_id = ${key.organizationId} and environment = ${key.environment}
      and address = ${key.address} and family = ${key.family} and payout and revoked_at is null
    for share`
  return rows.length > 0
}

/**
 * Registers an address as a recipient with `payout`, or gives `payout` to its registration and ends a revocation. For
 * operators.
 *
 * Keys that were stopped because of this address work again (decisions 6.1).
 */
export async function registerPayoutRecipient(
  db: Db,
  recipient: PayoutAddress & { readonly id: string },
): Promise<void> {
  await db`
    insert into recipients (id, organization_id, environment, address, family, payout)
    values (${recipient.id}, ${recipient.organizationId}, ${recipient.environment}, ${recipient.address},
      ${recipient.family}, true)
    on conflict (organization_id, environment, address, family)
    do update set payout = true, payout_stopped_at = null, revoked_at = null`
}

/**
 * Returns the condition that a key `k` is stopped: a recipient with `payout` at one of its payout addresses was
 * revoked, and has not been given `payout` again.
 */
export function isPayoutAddressRevoked(db: Db) {
  return db`exists (select from recipients r where r.organization_id = k.organization_id
    and r.environment = k.environment and r.address = any (k.payout_address_list)
    and r.address = build_payout_addresses(k.payout_address, k.other_payout_addresses) ->> r.family
    and r.payout_stopped_at is not null)`
}
