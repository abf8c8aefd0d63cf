import type { Db } from '../../connect.ts'

/** What of a chain's payouts is not done. */
export type PayoutBacklog = {
  readonly chainId: number
  /** How long ago the one that waits longest could first be distributed; 0 if none waits. */
  readonly oldestSeconds: number
  /** Those that nobody can be paid now, as the token's issuer has it. */
  readonly held: number
  /** Those given up after their last attempt: anybody may still distribute them. */
  readonly failed: number
}

/** Reads what of these chains' payouts is not done, from the indexes of what is open alone: most payouts are completed. */
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
