import type { Db } from '../../connect.ts'
import { isStale, type StaleAfter } from '../stale.ts'

/** Age of our highest head of a chain, and whether the chain is stale or sleeps. */
export type HeadAge = {
  readonly chainId: number
  /** Age by the database's clock; `null` before the first head. */
  readonly ageSeconds: number | null
  readonly isStale: boolean
  /** Whether the network sleeps, so that its head is read from a quorum only about once a minute. */
  readonly isAsleep: boolean
}

/** Lists the head ages of these chains, whichever daemon owns their feeds. Skips abandoned networks. */
export async function listHeadAges(
  db: Db,
  { chainIds, staleAfter }: { readonly chainIds: readonly number[]; readonly staleAfter: StaleAfter },
): Promise<readonly HeadAge[]> {
  return db<HeadAge[]>`
    select d.chain_id, extract(epoch from now() - d.max_head_at)::float8 as age_seconds,
      ${isStale(db, staleAfter)} as is_stale, d.asleep_since is not null as is_asleep
    from deployments d
    where d.chain_id = any (${chainIds}::int8[]) and d.abandoned_at is null`
}
