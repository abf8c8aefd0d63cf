import type { SimulatedDatabase } from './engine/database.ts'

type Terms = { readonly database: Pick<SimulatedDatabase, 'sql'>; readonly nowMs: () => number }

/** Work for which a network's blocks must be watched. `asleepSince` is `null` while the network is awake. */
type Work = { readonly chainId: number; readonly what: string; readonly asleepSince: Date | null }

/**
 * Work newer than this may be missed when a network falls asleep, because between the search for work and the sleep,
 * two responses can be late by eight seconds each.
 */
const SEARCHED_MS = 40_000
/** Maximum time until a network wakes for work that does not request it, even if timers are late. */
const WAKES_WITHIN_MS = 300_000

/**
 * Creates the check that no network falls asleep while it has work, and that a sleeping network wakes for new work
 * (decisions 9.10). The check remembers when it first found each piece of work.
 */
export function createSleepCheck({ database, nowMs }: Terms): () => Promise<readonly string[]> {
  let seenAtMs = new Map<string, number>()
  return async () => {
    const found = await listWork(database)
    const key = ({ chainId, what }: Work) => `${what} on ${chainId}`
    seenAtMs = new Map(found.map((work) => [key(work), seenAtMs.get(key(work)) ?? nowMs()]))
    return found.flatMap((work) => {
      if (work.asleepSince === null) return []
      const sinceMs = seenAtMs.get(key(work)) ?? nowMs()
      const asleepMs = work.asleepSince.getTime()
      if (sinceMs < asleepMs - SEARCHED_MS) return [`a network fell asleep despite the ${key(work)}`]
      const isLate = nowMs() - Math.max(sinceMs, asleepMs) > WAKES_WITHIN_MS
      return isLate ? [`a network does not wake for the ${key(work)}`] : []
    })
  }
}

function listWork({ sql }: Terms['database']): Promise<readonly Work[]> {
  return sql<Work[]>`
    select chain_id, what, asleep_since from (
      select unnest(accepted_chains) as chain_id, 'open charge ' || id as what from charges
      where status in ('pending', 'partially_paid')
      union all
      select chain_id, 'unfinished payout ' || id from payouts where status <> 'completed'
      union all
      select chain_id, 'held share ' || id from held_shares where held_atomic > 0
      union all
      select chain_id, 'open refund ' || id from refunds where status like 'awaiting%' or status = 'seen'
      union all
      select chain_id, 'uncounted transfer ' || id from transfers
      where accepted and credited_at is null and inclusion <> 'orphaned'
      union all
      select chain_id, 'uncounted split event ' || id from split_events
      where applied_at is null and inclusion <> 'orphaned'
    ) work join deployments using (chain_id)`
}
