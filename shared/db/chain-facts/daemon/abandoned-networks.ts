import type { Environment, Network } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** A deployment by its names. */
type Place = { readonly network: Network; readonly environment: Environment }

/** A deployment as operators see it. */
export type ListedNetwork = Place & {
  readonly chainId: number
  /** Highest block the feed has applied. */
  readonly headNumber: number | null
  /** Of the highest block at confirmation depth: what was mined before is credited or has vanished. */
  readonly deepAt: Date | null
  readonly abandonedAt: Date | null
  /** Since when the feed is above every block of its chain, and must be mended. */
  readonly feedAboveSince: Date | null
  /** Since when it is ordered to be mended, and is not yet. */
  readonly mendRequestedAt: Date | null
}

/** Lists every deployment that was ever watched. */
export async function listNetworks(db: Db): Promise<readonly ListedNetwork[]> {
  return await db<ListedNetwork[]>`
    select network, environment, chain_id, head_number, to_timestamp(deep_timestamp) as deep_at, abandoned_at,
      feed_above_since, mend_requested_at
    from deployments
    order by environment, network`
}

/**
 * Abandons a network: it holds up no expiry from now on (decisions 3.4). A second time the first moment stays.
 *
 * @returns since when it is abandoned, or `null` if it was never watched
 */
export async function abandonNetwork(db: Db, { network, environment }: Place): Promise<Date | null> {
  const [deployment] = await db<{ abandonedAt: Date }[]>`
    update deployments set abandoned_at = coalesce(abandoned_at, now())
    where network = ${network} and environment = ${environment}
    returning abandoned_at`
  return deployment?.abandonedAt ?? null
}

/**
 * Takes back that a network is abandoned, if it is.
 *
 * @returns false if it was never watched
 */
export async function resumeNetwork(db: Db, { network, environment }: Place): Promise<boolean> {
  const rows = await db`
    update deployments set abandoned_at = null
    where network = ${network} and environment = ${environment}
    returning chain_id`
  return rows.length > 0
}
