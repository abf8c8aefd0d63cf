import type { Environment, Network } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'
import { CHAIN_TABLES, getColumns } from './chain-tables.ts'

/** An operator's pending order to repair a feed. */
export type RepairOrder = {
  /** Block from which to read the chain again. If `null`, the daemon chooses the block. */
  readonly fromBlock: number | null
}

/**
 * Orders the owner of a network's feed to repair the feed. A second order replaces the first.
 *
 * @returns true if the order was recorded; false if the network was never watched
 */
export async function requestRepair(
  db: Db,
  order: RepairOrder & { readonly network: Network; readonly environment: Environment },
): Promise<boolean> {
  const { count } = await db`
    update deployments set repair_requested_at = now(), repair_from_block = ${order.fromBlock}
    where network = ${order.network} and environment = ${order.environment}`
  return count > 0
}

/** Finds the pending order to repair a chain's feed; `null` if there is none. */
export async function findRepairOrder(db: Db, chainId: number): Promise<RepairOrder | null> {
  const [order] = await db<RepairOrder[]>`
    select repair_from_block as from_block from deployments where chain_id = ${chainId} and repair_requested_at is not null`
  return order ?? null
}

/**
 * Deletes the order to repair a chain's feed from this block, which has been executed or rejected. Another order that
 * has replaced it stays pending.
 */
export async function deleteRepairOrder(
  db: Db,
  { chainId, fromBlock }: RepairOrder & { readonly chainId: number },
): Promise<void> {
  await db`
    update deployments set repair_requested_at = null, repair_from_block = null
    where chain_id = ${chainId} and repair_from_block is not distinct from ${fromBlock}::int8`
}

/** Where and when a feed started, and how far it has read. */
export type FeedPosition = {
  /** Maximum of the watermark and the first blocks of active generations. */
  readonly highest: number
  /**
   * Earliest time at which a generation, retired or not, was inserted or last reactivated; `null` if there is no
   * generation.
   */
  readonly firstFeedAt: Date | null
  /** Whether the database records that the feed is ahead of its nodes (`setFeedAhead`). */
  readonly isRecordedAhead: boolean
}

/** Reads the position of a chain's feed. */
export async function findFeedPosition(db: Db, chainId: number): Promise<FeedPosition> {
  const [bounds] = await db<[FeedPosition]>`
    select greatest(d.watermark_number, max(f.start_block) filter (where f.retired_at is null)) as highest,
      min(f.created_at) as first_feed_at, d.feed_ahead_since is not null as is_recorded_ahead
    from deployments d left join feeds f on f.chain_id = d.chain_id
    where d.chain_id = ${chainId} group by d.chain_id`
  return bounds
}

/**
 * Finds the lowest first block of all generations, retired or not, that is not above the chain's head; `null` if there
 * is none. The chain has been watched from that block on, possibly with other nodes.
 */
export async function findVerifiedStartBlock(
  db: Db,
  { chainId, headNumber }: { readonly chainId: number; readonly headNumber: number },
): Promise<number | null> {
  const [row] = await db<[{ startBlock: number | null }]>`
    select min(start_block) as start_block from feeds where chain_id = ${chainId} and start_block <= ${headNumber}`
  return row.startBlock
}

/** Records whether a chain's feed is ahead of the head of its nodes. */
export async function setFeedAhead(db: Db, chainId: number, isAbove: boolean): Promise<void> {
  await db`
    update deployments set feed_ahead_since = case when ${isAbove} then coalesce(feed_ahead_since, now()) end
    where chain_id = ${chainId}`
}

/**
 * Moves a feed back to a block: retires all generations, and resets the watermark and the heads. After this function
 * and `deletePonderCache`, the feed reads the chain again from that block.
 *
 * Uncounted rows of the feed from that block on become missing, until a new generation shows them or the nodes show
 * whether they are orphaned. Rows above the chain's head are orphaned immediately, because the chain has no such
 * blocks. The caller must run this function in a transaction, after Ponder has stopped.
 */
export async function resetFeed(
  db: Db,
  repair: { readonly chainId: number; readonly fromBlock: number; readonly headNumber: number },
): Promise<void> {
  const { chainId, fromBlock, headNumber } = repair
  await db`
    update deployments set
      feed_ahead_since = null, repair_count = repair_count + 1, asleep_since = null, wake_requested_at = null,
      watermark_version = watermark_version + 1, ponder_schema = null, watermark_number = ${fromBlock}, idle_at = null,
      head_number = null, head_timestamp = null, confirmed_head_number = null, confirmed_head_timestamp = null,
      max_head_number = null, max_head_at = null
    where chain_id = ${chainId}`
  await db`delete from chain_heads where ponder_schema in (select ponder_schema from feeds where chain_id = ${chainId})`
  await db`update feeds set retired_at = now() where chain_id = ${chainId} and retired_at is null`
  await db`
    update reconciliations set scanned_block_number = ${fromBlock}
    where chain_id = ${chainId} and scanned_block_number > ${headNumber}`
  for (const table of CHAIN_TABLES) {
    await db`
      update ${db(table)} r set
        inclusion = case when block_number > ${headNumber} then 'orphaned' else 'missing' end,
        missing_since = date_trunc('milliseconds', now())
      where chain_id = ${chainId} and block_number >= ${fromBlock} and inclusion <> 'orphaned'
        and ponder_schema is not null and ${getColumns(db, table).countedAt} is null`
  }
}
