import type { Environment, Pair, PairContract } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'
import { toRowSet } from '../../rows.ts'

/** A pair as operators see it: *enabled* by configuration, *paused* by an operator (decisions 2.3). */
export type ListedPair = Pair & {
  readonly environment: Environment
  readonly chainId: number
  readonly enabled: boolean
  readonly pausedAt: Date | null
  /**
   * Whether the code of our contracts on the network is exactly the expected code; `null` until the code has been read.
   */
  readonly contractsMatch: boolean | null
}

type PairOfEnvironment = Pair & { readonly environment: Environment }

/** Lists every pair that has ever been watched. */
export async function listPairs(db: Db): Promise<readonly ListedPair[]> {
  return await db<ListedPair[]>`
    select p.token, p.network, p.environment, p.chain_id, p.enabled, p.paused_at, d.contracts_match
    from pairs p
    join deployments d on d.chain_id = p.chain_id
    order by p.environment, p.network, p.token`
}

/**
 * Pauses a pair with effect from the next request, and notifies open pages. If the pair is already paused, the recorded
 * time does not change.
 *
 * @returns whether such a pair exists
 */
export async function pausePair(
  db: Db,
  { token, network, environment }: PairOfEnvironment,
): Promise<boolean> {
  const rows = await db`
    update pairs set paused_at = coalesce(paused_at, now())
    where token = ${token} and network = ${network} and environment = ${environment}
    returning pg_notify('svc_pairs', token || '/' || network)`
  return rows.length > 0
}

/**
 * Resumes a pair, if it is paused, and notifies open pages.
 *
 * @returns whether such a pair exists
 */
export async function resumePair(
  db: Db,
  { token, network, environment }: PairOfEnvironment,
): Promise<boolean> {
  const rows = await db`
    update pairs set paused_at = null
    where token = ${token} and network = ${network} and environment = ${environment}
    returning pg_notify('svc_pairs', token || '/' || network)`
  return rows.length > 0
}

export type ConfiguredPair = PairOfEnvironment & PairContract & { readonly enabled: boolean }

/**
 * Records the watched pairs of a chain. A pair that is no longer configured stays, but is disabled.
 *
 * A pair keeps its token contract permanently, because charges that accept the pair have promised this contract to
 * their payers. If the pair has another address, the primary key makes the function throw.
 */
export async function syncPairs(db: Db, chainId: number, pairs: readonly ConfiguredPair[]): Promise<void> {
  await db`
    merge into pairs p
    using ${toRowSet(db, 'pairs', { rows: pairs })} w
    on p.chain_id = w.chain_id and p.token_address = w.token_address and p.token = w.token
    when matched then update set enabled = w.enabled
    when not matched then insert (chain_id, network, environment, token, token_address, decimals, enabled)
      values (w.chain_id, w.network, w.environment, w.token, w.token_address, w.decimals, w.enabled)`
  await db`
    update pairs set enabled = false
    where chain_id = ${chainId} and not token_address = any (${pairs.map(({ tokenAddress }) => tokenAddress)})`
}

export type WatchedTokenRow = Omit<ConfiguredPair, 'enabled'>

/**
 * Lists the token contracts that have ever been watched on these chains. The contracts of disabled pairs stay watched.
 */
export async function listWatchedTokens(
  db: Db,
  chainIds: readonly number[],
): Promise<readonly WatchedTokenRow[]> {
  return db<WatchedTokenRow[]>`
    select chain_id, network, environment, token, token_address, decimals from pairs
    where chain_id = any (${chainIds}) order by chain_id, token`
}
