import type { Db } from '../../connect.ts'
import { isOpen } from '../../predicates.ts'
import { CHAIN_TABLES, isUncounted } from './chain-tables.ts'

/** Whether a network sleeps, and the values that decide when it falls asleep or wakes. */
export type SleepState = {
  readonly isAsleep: boolean
  readonly isWakeRequested: boolean
  readonly hasRepairOrder: boolean
  /** Number that increases with each daemon that becomes the owner of the feed. */
  readonly ownerEpoch: number
  /** Seconds since the network last had to be watched, by the database's clock. */
  readonly idleSeconds: number
  /** The feed's head; `null` before the first head. */
  readonly headNumber: number | null
  /** Last head of a quorum while nothing had to be watched; `null` if the network never slept. */
  readonly sleepHeadNumber: number | null
}

/** Reads the sleep state of a network. */
export async function readSleepState(db: Db, chainId: number): Promise<SleepState> {
  const [state] = await db<[SleepState]>`
    select asleep_since is not null as is_asleep, wake_requested_at is not null as is_wake_requested,
      repair_requested_at is not null as has_repair_order, head_number, sleep_head_number, owner_epoch,
      extract(epoch from now() - watched_at)::float8 as idle_seconds
    from deployments where chain_id = ${chainId}`
  return state
}

/** Returns whether a network sleeps. */
export async function isAsleep(db: Db, chainId: number): Promise<boolean> {
  const [row] = await db`
    select from deployments where chain_id = ${chainId} and asleep_since is not null`
  return row !== undefined
}

/** Lists the sleeping chains for which neither a wake nor a repair is requested. */
export async function listSleeping(db: Db): Promise<readonly number[]> {
  const rows = await db<{ chainId: number }[]>`
    select chain_id from deployments
    where asleep_since is not null and wake_requested_at is null and repair_requested_at is null`
  return rows.map(({ chainId }) => chainId)
}

/**
 * Returns whether a network must be watched block by block, because of an open charge, an incomplete payout, a held
 * share, money in an escrow, an open refund, a relayer's transaction or an authorization in flight, a missing or
 * uncounted row, or an order to repair the feed.
 *
 * The subqueries have limits, because PostgreSQL might execute an `exists` by reading a whole table.
 */
export async function hasWatchedWork(db: Db, chainId: number): Promise<boolean> {
  const accepts = db`${chainId} = any (c.accepted_chains)`
  const [row] = await db<[{ hasWork: boolean }]>`
    select (select true from charges c where ${isOpen(db, db`c.status`)} and ${accepts} limit 1) is not null
      or (select true from charges c where c.escrow_releaser is not null and c.received_atto > 0
        and c.escrow_released_at is null and c.escrow_refunded_at is null and ${accepts} limit 1) is not null
      or (select true from payouts where chain_id = ${chainId} and status in ('pending', 'processing') limit 1) is not null
      or (select true from payouts where chain_id = ${chainId} and status = 'failed' limit 1) is not null
      or (select true from held_shares where chain_id = ${chainId} and held_atomic > 0 limit 1) is not null
      or (select true from refunds where chain_id = ${chainId}
        and status in ('awaiting_destination', 'awaiting_approval', 'awaiting_payment', 'seen') limit 1) is not null
      or (select true from relayer_transactions
        where chain_id = ${chainId} and status in ('signed', 'mined') limit 1) is not null
      or (select true from authorizations
        where chain_id = ${chainId} and status in ('signed', 'mined') limit 1) is not null
      or ${hasUncounted(db, chainId)}
      or (select true from deployments
        where chain_id = ${chainId} and repair_requested_at is not null) is not null as has_work`
  return row.hasWork
}

/** Returns the condition that a row of the chain is missing or uncounted. */
function hasUncounted(db: Db, chainId: number) {
  const found = CHAIN_TABLES.map(
    (table) => db`(select true from ${db(table)} r
        where r.chain_id = ${chainId} and r.inclusion = 'included' and ${isUncounted(db, table)} limit 1) is not null
      or (select true from ${db(table)} r where r.chain_id = ${chainId} and r.inclusion = 'missing' limit 1) is not null`,
  )
  return found.reduce((all, one) => db`${all} or ${one}`)
}

/** Returns whether a charge that accepts the chain was created or active in the last `seconds`. */
export async function hasRecentCharges(
  db: Db,
  { chainId, seconds }: { readonly chainId: number; readonly seconds: number },
): Promise<boolean> {
  const [row] = await db`
    select from charges c
    where c.last_activity_at > now() - make_interval(secs => ${seconds}) and ${chainId} = any (c.accepted_chains)
    limit 1`
  return row !== undefined
}

/**
 * Returns whether a network has a row above `blockNumber` that is not orphaned. A reorganization can still remove such
 * a row, and only a running feed detects the removal.
 */
export async function hasRowsAbove(
  db: Db,
  { chainId, blockNumber }: { readonly chainId: number; readonly blockNumber: number },
): Promise<boolean> {
  const found = CHAIN_TABLES.map(
    (table) => db`(select true from ${db(table)}
      where chain_id = ${chainId} and inclusion <> 'orphaned' and block_number > ${blockNumber} limit 1) is not null`,
  )
  const [row] = await db<[{ hasRows: boolean }]>`
    select ${found.reduce((all, one) => db`${all} or ${one}`)} as has_rows`
  return row.hasRows
}

/** Records that a network must be watched now. */
export async function recordWatched(db: Db, chainId: number): Promise<void> {
  await db`update deployments set watched_at = now() where chain_id = ${chainId}`
}

/** A head that a quorum has reached. It must be read before `hasWatchedWork` searches for work. */
type SleepHead = { readonly chainId: number; readonly headNumber: number }

/**
 * Lets a network sleep.
 *
 * @returns false if the network already sleeps, or if another daemon has become its owner since `ownerEpoch` was read
 */
export async function putToSleep(
  db: Db,
  { chainId, headNumber, ownerEpoch }: SleepHead & { readonly ownerEpoch: number },
): Promise<boolean> {
  const { count } = await db`
    update deployments set asleep_since = now(), sleep_head_number = ${headNumber}, wake_requested_at = null
    where chain_id = ${chainId} and asleep_since is null and owner_epoch = ${ownerEpoch}`
  return count > 0
}

/** Records the head of a sleeping network. While the head advances, the chain is not stale. */
export async function recordHealthHead(db: Db, { chainId, headNumber }: SleepHead): Promise<void> {
  await db`
    update deployments set max_head_number = ${headNumber}, max_head_at = now()
    where chain_id = ${chainId} and asleep_since is not null and ${headNumber} > coalesce(max_head_number, -1)`
}

/**
 * Records that no charge of a sleeping network can have been paid up to a head.
 *
 * @param head.scannedNumber - block from which the range scans continue when the network wakes: the head minus the
 * finality depth; `null` if range scans still cover a charge
 */
export async function advanceSleepHead(
  db: Db,
  { chainId, headNumber, scannedNumber }: SleepHead & { readonly scannedNumber: number | null },
): Promise<void> {
  await db`
    with moved as (
      update deployments set sleep_head_number = ${headNumber}
      where chain_id = ${chainId} and asleep_since is not null returning chain_id
    )
    update reconciliations r set scanned_block_number = greatest(r.scanned_block_number, ${scannedNumber}::int8)
    from moved where r.chain_id = moved.chain_id and ${scannedNumber}::int8 is not null`
}

/** Requests that a sleeping network wakes. */
export async function requestWake(db: Db, chainId: number): Promise<void> {
  await db`
    update deployments set wake_requested_at = now()
    where chain_id = ${chainId} and asleep_since is not null and wake_requested_at is null`
}

/**
 * Ends a network's sleep. The feed then shows rows only from `startBlock` on, so rows below do not become missing.
 *
 * @returns false if the network does not sleep
 */
export async function endSleep(
  db: Db,
  { chainId, startBlock }: { readonly chainId: number; readonly startBlock: number },
): Promise<boolean> {
  const { count } = await db`
    update deployments set asleep_since = null, wake_requested_at = null, watched_at = now(),
      watermark_version = watermark_version + 1, watermark_number = greatest(watermark_number, ${startBlock})
    where chain_id = ${chainId} and asleep_since is not null`
  return count > 0
}
