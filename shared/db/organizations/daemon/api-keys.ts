import type { Address } from '../../../domain/address.ts'
import type { OtherPayoutAddresses, PayoutAddresses } from '../../../domain/chain-families/chain-families.ts'
import type { Environment } from '../../../domain/networks.ts'
import type { Scope } from '../../../domain/scope.ts'
import type { Db } from '../../connect.ts'
import { isPayoutAddressRevoked } from '../payout-recipients.ts'

type NewApiKey = {
  readonly id: string
  readonly organizationId: string
  readonly environment: Environment
  /** SHA-256 of the key, which itself is never stored. */
  readonly keyHash: Buffer
  /** The part of the key that is shown to tell keys apart. */
  readonly hint: string
  readonly payoutAddress: Address
  /** Payout addresses of the other families in which the key may create charges. */
  readonly otherPayoutAddresses?: OtherPayoutAddresses
  readonly scopes: readonly Scope[]
}

export type ListedApiKey = Omit<NewApiKey, 'keyHash' | 'payoutAddress' | 'otherPayoutAddresses'> & {
  readonly payoutAddresses: PayoutAddresses
  readonly organizationName: string
  readonly createdAt: Date
  readonly revokedAt: Date | null
  /** Whether a payout address of the key was revoked as a payout recipient (decisions 6.1). */
  readonly isPayoutStopped: boolean
}

/** The key can be used as soon as the transaction commits. */
export async function insertApiKey(db: Db, key: NewApiKey): Promise<void> {
  await db`
    insert into api_keys (id, organization_id, environment, key_hash, hint, payout_address,
      other_payout_addresses, scopes)
    values (${key.id}, ${key.organizationId}, ${key.environment}, ${key.keyHash}, ${key.hint},
      ${key.payoutAddress}, ${db.json(key.otherPayoutAddresses ?? {})}, ${[...key.scopes]})`
}

/** Lists the keys of an organization, or of all if `null`, oldest first, including revoked keys; at most 1,000. */
export async function listApiKeys(db: Db, organizationId: string | null): Promise<readonly ListedApiKey[]> {
  return await db<ListedApiKey[]>`
    select k.id, k.organization_id, o.name as organization_name, k.environment, k.hint,
      build_payout_addresses(k.payout_address, k.other_payout_addresses) as payout_addresses, k.scopes,
      k.created_at, k.revoked_at,
      ${isPayoutAddressRevoked(db)} as is_payout_stopped
    from api_keys k
    join organizations o on o.id = k.organization_id
    where ${organizationId}::text is null or k.organization_id = ${organizationId}
    order by k.created_at, k.id
    limit 1000`
}

/**
 * Revokes a key: its next request is rejected. If the key is already revoked, the recorded time does not change.
 *
 * @returns the time at which the key was revoked, or `null` if no such key exists
 */
export async function revokeApiKey(db: Db, id: string): Promise<Date | null> {
  const [key] = await db<{ revokedAt: Date }[]>`
    update api_keys set revoked_at = coalesce(revoked_at, now()) where id = ${id} returning revoked_at`
  return key?.revokedAt ?? null
}
