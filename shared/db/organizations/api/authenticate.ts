import type { PayoutAddresses } from '../../../domain/chain-families/chain-families.ts'
import type { Environment } from '../../../domain/networks.ts'
import type { Scope } from '../../../domain/scope.ts'
import type { Db } from '../../connect.ts'
import { isPayoutAddressRevoked } from '../payout-recipients.ts'

/** A key that is not revoked, the fees of its organization, and the use of its rate limit. */
export type AuthenticatedKey = {
  readonly id: string
  readonly organizationId: string
  readonly environment: Environment
  readonly payoutAddresses: PayoutAddresses
  readonly scopes: readonly Scope[]
  /** `null` if the configured fee applies. */
  readonly feePercent: string | null
  /** The surcharge on escrow charges; `null` if the configured surcharge applies. */
  readonly escrowFeePercent: string | null
  /** Whether one of the key's payout addresses, of any family, was revoked as a payout recipient (decisions 6.1). */
  readonly isPayoutStopped: boolean
  /** Time of the database's clock, in whole milliseconds. */
  readonly now: Date
  /** Requests in the current rate limit window, including the requests of this call. */
  readonly used: number
  readonly resetsInSeconds: number
}

/** The SHA-256 of a key in hex digits, and the number of requests that presented the key at the same time. */
export type PresentedKey = { readonly keyHash: string; readonly requests: number }

/**
 * Finds these keys and counts their requests against each key's rate limit, in one statement.
 *
 * Locks the keys' rows of `rate_limits`, in the order of the key ids, until the statement commits as its own
 * transaction.
 *
 * @param input.keys - each hash once
 * @returns the keys that exist and are not revoked, by hash; requests of other keys are not counted
 */
export async function authenticateKeys(
  db: Db,
  input: { keys: readonly PresentedKey[]; windowSeconds: number },
): Promise<ReadonlyMap<string, AuthenticatedKey>> {
  const rows = await db<(AuthenticatedKey & { keyHash: string })[]>`
    select k.*, now() as now, l.used, l.resets_in_seconds
    from (
      select encode(k.key_hash, 'hex') as key_hash, k.id, k.organization_id, k.environment,
        build_payout_addresses(k.payout_address, k.other_payout_addresses) as payout_addresses, k.scopes,
        o.fee_percent::text, o.escrow_fee_percent::text, w.requests,
        ${isPayoutAddressRevoked(db)} as is_payout_stopped
      from unnest(${input.keys.map(({ keyHash }) => keyHash)}::text[],
        ${input.keys.map(({ requests }) => requests)}::int[]) as w (key_hash, requests)
      join api_keys k on k.key_hash = decode(w.key_hash, 'hex') and k.revoked_at is null
      join organizations o on o.id = k.organization_id
      order by k.id
    ) k
    cross join lateral consume_rate_limit('key:' || k.id, ${input.windowSeconds}, k.requests) l`
  return new Map(rows.map((row) => [row.keyHash, row]))
}

/** Returns those of these keys that were revoked, or are stopped because a payout recipient was revoked. */
export async function findRevokedKeys(db: Db, keyIds: readonly string[]): Promise<readonly string[]> {
  const rows = await db<{ id: string }[]>`
    select k.id from api_keys k
    where k.id = any (${keyIds}) and (k.revoked_at is not null or ${isPayoutAddressRevoked(db)})`
  return rows.map(({ id }) => id)
}
