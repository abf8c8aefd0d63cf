import type { Address, AddressFamily } from '../domain/address.ts'
import type { Environment } from '../domain/networks.ts'
import type { Db } from './connect.ts'

type RecipientKey = {
  readonly organizationId: string
  readonly environment: Environment
  readonly address: Address
}

/**
 * Tells whether the organization may be paid at this address: a recipient, not revoked, with `payout`.
 *
 * Locks the recipient against change until the transaction ends, so that what is decided on it stays true.
 */
export async function lockPayoutRecipient(db: Db, key: RecipientKey): Promise<boolean> {
  const rows = await db`
    select from recipients
    where organization_id = ${key.organizationId} and environment = ${key.environment}
      and address = ${key.address} and payout and revoked_at is null
    for share`
  return rows.length > 0
}

/**
 * Makes an address a payout-eligible recipient, whatever it was before; for operators.
 *
 * This is an elevation, not a mere registration: keys that its revocation had stopped authenticate again (decisions
 * 6.1).
 */
export async function registerPayoutRecipient(
  db: Db,
  recipient: RecipientKey & { readonly id: string; readonly family: AddressFamily },
): Promise<void> {
  await db`
    insert into recipients (id, organization_id, environment, address, family, payout)
    values (${recipient.id}, ${recipient.organizationId}, ${recipient.environment}, ${recipient.address},
      ${recipient.family}, true)
    on conflict (organization_id, environment, address)
    do update set payout = true, payout_stopped_at = null, revoked_at = null`
}
