import type { Environment, Network } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** An operator's order to mend a feed, not carried out yet. */
export type MendOrder = {
  /** The block to read the chain from; `null` leaves it to the daemon. */
  readonly fromBlock: number | null
}

/**
 * Orders that the feed of a network be mended by the daemon that owns it; a second order replaces the first.
 *
 * @returns false if it was never watched
 */
export async function orderMend(
  db: Db,
  order: MendOrder & { readonly network: Network; readonly environment: Environment },
): Promise<boolean> {
  const rows = await db`
    update deployments set mend_requested_at = now(), mend_from = ${order.fromBlock}
    where network = ${order.network} and environment = ${order.environment}
    returning chain_id`
  return rows.length > 0
}

/** Finds the order to mend a chain's feed, if there is one. */
export async function findMendOrder(db: Db, chainId: number): Promise<MendOrder | null> {
  const [order] = await db<MendOrder[]>`
    select mend_from as from_block from deployments where chain_id = ${chainId} and mend_requested_at is not null`
  return order ?? null
}

/** Takes an order back that cannot be carried out. */
export async function dropMendOrder(db: Db, chainId: number): Promise<void> {
  await db`update deployments set mend_requested_at = null, mend_from = null where chain_id = ${chainId}`
}

/** Where a feed begins and stands. */
export type FeedBounds = {
  /** The highest of the first blocks of its generations and of its mark. */
  readonly highest: number
  /** When the chain was first watched; `null` while it has no feed. */
  readonly firstFeedAt: Date | null
}

/** Reads where the feed of a chain begins and stands. */
export async function readFeedBounds(db: Db, chainId: number): Promise<FeedBounds> {
  const [bounds] = await db<[FeedBounds]>`
    select greatest(d.finalized_number, max(f.start_block) filter (where f.retired_at is null)) as highest,
      min(f.created_at) as first_feed_at
    from deployments d left join feeds f on f.chain_id = d.chain_id
    where d.chain_id = ${chainId} group by d.chain_id`
  return bounds
}

/**
 * Finds the lowest first block of any generation, retired ones included, that the chain has: from there on it was
 * watched, by whatever nodes.
 */
export async function findSoundStart(
  db: Db,
  { chainId, headNumber }: { readonly chainId: number; readonly headNumber: number },
): Promise<number | null> {
  const [row] = await db<[{ startBlock: number | null }]>`
    select min(start_block) as start_block from feeds where chain_id = ${chainId} and start_block <= ${headNumber}`
  return row.startBlock
}

/** Writes down whether the feed of a chain is above every block its nodes have. */
export async function setFeedAbove(db: Db, chainId: number, isAbove: boolean): Promise<void> {
  await db`
    update deployments set feed_above_since = case when ${isAbove} then coalesce(feed_above_since, now()) end
    where chain_id = ${chainId}`
}

/**
 * Takes a feed back to a block: no generation is in use any more, and the mark, the heads and Ponder's cache of the
 * chain are as if it had never been read from there on.
 *
 * What the feed showed and nobody has counted is missing until a new generation shows it or the nodes have judged it;
 * above the chain's head it has vanished, for the chain has no such block. Locks the deployment's row, so it runs in a
 * transaction, and may be repeated. Ponder must not be running.
 */
export async function mendFeed(
  db: Db,
  mend: { readonly chainId: number; readonly fromBlock: number; readonly headNumber: number },
): Promise<void> {
  const { chainId, fromBlock, headNumber } = mend
  await db`
    update deployments set
      mend_requested_at = null, mend_from = null, feed_above_since = null, feed_mends = feed_mends + 1,
      version = version + 1, ponder_schema = null, finalized_number = ${fromBlock}, quiet_at = null,
      head_number = null, head_timestamp = null, deep_number = null, deep_timestamp = null,
      highest_head = null, highest_head_at = null
    where chain_id = ${chainId}`
  await db`delete from chain_heads where ponder_schema in (select ponder_schema from feeds where chain_id = ${chainId})`
  await db`update feeds set retired_at = now() where chain_id = ${chainId} and retired_at is null`
  await db`
    update reconciliations set scanned_number = ${fromBlock}
    where chain_id = ${chainId} and scanned_number > ${headNumber}`
  for (const { table, countedAt } of TABLES) {
    await db`
      update ${db(table)} set
        presence = case when block_number > ${headNumber} then 'vanished' else 'missing' end,
        missing_since = date_trunc('milliseconds', now())
      where chain_id = ${chainId} and block_number >= ${fromBlock} and presence <> 'vanished'
        and ponder_schema is not null and ${db(countedAt)} is null`
  }
}

/** What a feed shows, and where it is written down that a row was counted. */
const TABLES = [
  { table: 'transfers', countedAt: 'credited_at' },
  { table: 'split_events', countedAt: 'applied_at' },
  { table: 'escrow_movements', countedAt: 'applied_at' },
] as const
