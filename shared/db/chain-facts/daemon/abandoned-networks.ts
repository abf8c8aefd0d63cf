import type { Environment, Network } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

type Place = { readonly network: Network; readonly environment: Environment }

/** The progress of a deployment, as operators see it. */
export type ListedNetwork = Place & {
  readonly chainId: number
  /** The feed's head; `null` before the first head. */
  readonly headNumber: number | null
  /** Time of the highest block at confirmation depth, according to the feed. */
  readonly deepAt: Date | null
  readonly abandonedAt: Date | null
  /** Time since which the feed has been above every block of its chain, so that it must be repaired. */
  readonly feedAheadSince: Date | null
  /** Time of an operator's order to repair the feed, while the repair is pending. */
  readonly repairRequestedAt: Date | null
}

/** Lists all deployments that were ever watched, abandoned ones included. */
export async function listNetworks(db: Db): Promise<readonly ListedNetwork[]> {
  return await db<ListedNetwork[]>`
    select network, environment, chain_id, head_number, to_timestamp(confirmed_head_timestamp) as deep_at, abandoned_at,
      feed_ahead_since, repair_requested_at
    from deployments
    order by environment, network`
}

/**
 * Abandons a network, so that it no longer blocks expiry (decisions 3.4). If the network is already abandoned, the
 * recorded time does not change.
 *
 * @returns the time since which the network has been abandoned, or `null` if it was never watched
 */
export async function abandonNetwork(db: Db, { network, environment }: Place): Promise<Date | null> {
  const [deployment] = await db<{ abandonedAt: Date }[]>`
    update deployments set abandoned_at = coalesce(abandoned_at, now())
    where network = ${network} and environment = ${environment}
    returning abandoned_at`
  return deployment?.abandonedAt ?? null
}

/**
 * Resumes a network if it is abandoned.
 *
 * @returns whether the network was ever watched
 */
export async function resumeNetwork(db: Db, { network, environment }: Place): Promise<boolean> {
  const { count } = await db`
    update deployments set abandoned_at = null
    where network = ${network} and environment = ${environment}`
  return count > 0
}
