import type { ChainFamilyName } from '../../../domain/address.ts'
import type { Environment, Network } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'
import type { BlockTime } from './ponder-tables.ts'

/** Progress of a deployment's chain feed. */
export type FeedWatermark = {
  readonly watermarkVersion: number
  readonly ponderSchema: string | null
  readonly headNumber: number | null
  /** Each snapshot reads all rows from this block on. */
  readonly watermarkNumber: number
  /** Number of repairs, each of which moved the feed back to a block. */
  readonly repairCount: number
}

/** Inserts or updates a watched deployment. Keeps the feed's progress and the operator's orders. */
export async function upsertDeployment(
  db: Db,
  deployment: {
    chainId: number
    network: Network
    environment: Environment
    family: ChainFamilyName
    confirmations: number
    blockTimeMs: number
    quorum: number
  },
): Promise<void> {
  await db`
    insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, quorum)
    values (${deployment.chainId}, ${deployment.network}, ${deployment.environment}, ${deployment.family},
      ${deployment.confirmations}, ${deployment.blockTimeMs}, ${deployment.quorum})
    on conflict (chain_id) do update set
      confirmations = excluded.confirmations, block_time_ms = excluded.block_time_ms, quorum = excluded.quorum`
}

/** Records whether the chain has the expected code of our contracts; `null` if the code could not be read. */
export async function setContractsMatch(
  db: Db,
  chainId: number,
  contractsMatch: boolean | null,
): Promise<void> {
  await db`update deployments set contracts_match = ${contractsMatch} where chain_id = ${chainId}`
}

/** Records that nodes of a quorum of operators have responded. Writes at most every ten seconds (decisions 2.4). */
export async function recordQuorumResponse(db: Db, chainId: number): Promise<void> {
  await db`
    update deployments set quorum_responded_at = now()
    where chain_id = ${chainId}
      and (quorum_responded_at is null or quorum_responded_at < now() - interval '10 seconds')`
}

/** Reads the progress of a chain's feed. */
export async function getFeedWatermark(db: Db, chainId: number): Promise<FeedWatermark> {
  const [mark] = await db<[FeedWatermark]>`
    select watermark_version, ponder_schema, head_number, watermark_number, repair_count from deployments where chain_id = ${chainId}`
  return mark
}

/**
 * Updates the feed's watermark by compare-and-swap on its version. The row stays locked until the transaction ends.
 *
 * @returns true if the watermark was updated; false if its version has changed, so that the snapshot must not be
 * applied
 */
export async function advanceFeedWatermark(
  db: Db,
  move: {
    chainId: number
    watermarkVersion: number
    ponderSchema: string
    head: BlockTime
    deep: BlockTime | null
    watermarkNumber: number
  },
): Promise<boolean> {
  const { count } = await db`
    update deployments set
      watermark_version = watermark_version + 1, ponder_schema = ${move.ponderSchema},
      head_number = ${move.head.number}, head_timestamp = ${move.head.timestamp},
      confirmed_head_number = ${move.deep?.number ?? null}, confirmed_head_timestamp = ${move.deep?.timestamp ?? null},
      watermark_number = greatest(watermark_number, ${move.watermarkNumber}),
      max_head_number = greatest(max_head_number, ${move.head.number}),
      max_head_at = case when ${move.head.number} > coalesce(max_head_number, -1) then now() else max_head_at end,
      idle_at = case when ${move.head.number} > coalesce(max_head_number, -1) then null else idle_at end
    where chain_id = ${move.chainId} and watermark_version = ${move.watermarkVersion}`
  return count > 0
}

/**
 * Locks the feed's watermark, so that no other transaction applies rows of the chain until this transaction ends.
 * Without the lock, two concurrent writers might both find no row for a log, and both insert a row.
 */
export async function lockFeedWatermark(db: Db, chainId: number): Promise<void> {
  await db`select from deployments where chain_id = ${chainId} for no key update`
}

/**
 * Notifies the API's streams of a new head, if a transfer on the chain waits for confirmations, when the caller's
 * transaction commits. A lost notification delays a stream by one poll.
 */
export async function notifyHead(db: Db, chainId: number): Promise<void> {
  // Only if a transfer waits, because a transaction with a NOTIFY takes an instance-wide lock at commit.
  await db`
    select pg_notify('svc_heads', ${String(chainId)}) from (
      select from transfers
      where chain_id = ${chainId} and credited_at is null and accepted and inclusion = 'included'
      order by id limit 1) waiting`
}

/**
 * Records that the chain's nodes respond, but the chain has had no new block for the configured time.
 *
 * Does nothing if our feed's head is another block, or if our feed has been above the nodes' head, because then only
 * the nodes are stalled.
 */
export async function markChainIdle(db: Db, quiet: { chainId: number; headNumber: number }): Promise<void> {
  await db`
    update deployments set idle_at = now()
    where chain_id = ${quiet.chainId} and head_number = ${quiet.headNumber} and head_number >= coalesce(max_head_number, 0)`
}

/**
 * Checks that the feed of each chain has applied a head and that the contracts on the chain were read, by any daemon.
 * Skips abandoned networks.
 *
 * @throws {Error} with the ids of the chains without a head, or whose contracts were not read
 */
export async function requireFeedsLive(db: Db, chainIds: readonly number[]): Promise<void> {
  const rows = await db<{ chainId: number }[]>`
    select a.chain_id from unnest(${chainIds}::int8[]) as a (chain_id)
    left join deployments d on d.chain_id = a.chain_id
    where d.abandoned_at is null and (d.head_number is null or d.contracts_match is null)`
  if (rows.length > 0)
    throw new Error(`head or contracts not read yet, chain ids: ${rows.map((row) => row.chainId).join(', ')}`)
}
