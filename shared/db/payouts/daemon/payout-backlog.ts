import type { Db } from '../../connect.ts'

/** The pending and processing (unfinished) payouts of a chain, and its failed ones. */
export type PayoutBacklog = {
  readonly chainId: number
  /** Seconds since the oldest unfinished payout that is not held could first be distributed; 0 if there is none. */
  readonly oldestSeconds: number
  /** Unfinished payouts that cannot be paid now, because the token's issuer restricts an address. */
  readonly held: number
  /** Payouts that our worker no longer attempts. Any account may still distribute them. */
  readonly failed: number
}

/**
 * Counts the unfinished payouts of these chains. Uses only the partial indexes of unfinished payouts, because most
 * payouts are completed.
 */
export async function listPayoutBacklog(
  db: Db,
  chainIds: readonly number[],
): Promise<readonly PayoutBacklog[]> {
  return db<PayoutBacklog[]>`
    select a.chain_id,
      (select coalesce(extract(epoch from now() - min(p.available_since)), 0)::float8 from payouts p
       where p.chain_id = a.chain_id and p.status in ('pending', 'processing') and p.held_since is null) as oldest_seconds,
      (select count(*) from payouts p
       where p.chain_id = a.chain_id and p.status in ('pending', 'processing') and p.held_since is not null) as held,
      (select count(*) from payouts p where p.chain_id = a.chain_id and p.status = 'failed') as failed
    from unnest(${chainIds}::int8[]) as a (chain_id)`
}
