import type { Environment, Network } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** An operator's order that lets a single node of a chain decide alone until `endsAt`. */
export type NodeTrust = {
  readonly chainId: number
  /** The node's name, as in logs and in the doctor's output. */
  readonly node: string
  readonly reason: string
  readonly orderedBy: string
  readonly endsAt: Date
}

/** Lists the latest active order of each chain. */
export async function listNodeTrusts(db: Db): Promise<readonly NodeTrust[]> {
  return await db<NodeTrust[]>`
    select distinct on (chain_id) chain_id, node, reason, ordered_by, ends_at
    from node_trusts where ends_at > now() order by chain_id, id desc`
}

/**
 * Inserts an order, and ends the chain's previous active orders.
 *
 * @param order.seconds - duration from now, at most one day
 * @returns the time at which the order ends, or `null` if the network was never watched
 */
export async function insertNodeTrust(
  db: Db,
  order: {
    readonly network: Network
    readonly environment: Environment
    readonly node: string
    readonly seconds: number
    readonly reason: string
  },
): Promise<Date | null> {
  const { network, environment, node, seconds, reason } = order
  await endNodeTrusts(db, order)
  const [trust] = await db<{ endsAt: Date }[]>`
    insert into node_trusts (chain_id, node, reason, ends_at)
    select chain_id, ${node}, ${reason}, now() + make_interval(secs => ${seconds})
    from deployments where network = ${network} and environment = ${environment}
    returning ends_at`
  return trust?.endsAt ?? null
}

/** Ends the active orders of a network. Returns their number. */
export async function endNodeTrusts(
  db: Db,
  { network, environment }: { readonly network: Network; readonly environment: Environment },
): Promise<number> {
  const ended = await db`
    update node_trusts n set ends_at = greatest(now(), n.ordered_at + interval '1 millisecond')
    from deployments d
    where d.chain_id = n.chain_id and d.network = ${network} and d.environment = ${environment} and n.ends_at > now()
    returning n.id`
  return ended.length
}
