import type { AddressFamily } from '../../../domain/address.ts'
import type { Environment, Network } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'
import type { BlockMark } from './ponder-tables.ts'

/** What the chain feed has applied of a deployment. */
export type FeedMark = {
  readonly version: number
  readonly ponderSchema: string | null
  readonly headNumber: number | null
  /** The low-water mark: every row from this block on is read again each time. */
  readonly finalizedNumber: number
  /** How often the feed was taken back to a block by an operator's order. */
  readonly feedMends: number
}

/** Writes down a deployment the daemon watches; leaves what the feed applied and the operator said. */
export async function upsertDeployment(
  db: Db,
  deployment: {
    chainId: number
    network: Network
    environment: Environment
    family: AddressFamily
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

/** Writes down whether our contracts' code is there byte for byte; `null` when it could not be read. */
export async function setContractsMatch(
  db: Db,
  chainId: number,
  contractsMatch: boolean | null,
): Promise<void> {
  await db`update deployments set contracts_match = ${contractsMatch} where chain_id = ${chainId}`
}

/** Records that nodes of a quorum of operators responded, at most once in ten seconds (decisions 2.4). */
export async function recordQuorumResponse(db: Db, chainId: number): Promise<void> {
  await db`
    update deployments set quorum_responded_at = now()
    where chain_id = ${chainId}
      and (quorum_responded_at is null or quorum_responded_at < now() - interval '10 seconds')`
}

/** Returns what the feed of this chain has applied so far. */
export async function getFeedMark(db: Db, chainId: number): Promise<FeedMark> {
  const [mark] = await db<[FeedMark]>`
    select version, ponder_schema, head_number, finalized_number, feed_mends from deployments where chain_id = ${chainId}`
  return mark
}

/**
 * Moves the feed's mark by compare-and-swap on its version, and locks the row to the end of the transaction.
 *
 * @returns false if another feed has moved it since it was read: then nothing of this snapshot may be applied
 */
export async function moveFeedMark(
  db: Db,
  move: {
    chainId: number
    version: number
    ponderSchema: string
    head: BlockMark
    deep: BlockMark | null
    finalizedNumber: number
  },
): Promise<boolean> {
  const moved = await db`
    update deployments set
      version = version + 1, ponder_schema = ${move.ponderSchema},
      head_number = ${move.head.number}, head_timestamp = ${move.head.timestamp},
      deep_number = ${move.deep?.number ?? null}, deep_timestamp = ${move.deep?.timestamp ?? null},
      finalized_number = greatest(finalized_number, ${move.finalizedNumber}),
      highest_head = greatest(highest_head, ${move.head.number}),
      highest_head_at = case when ${move.head.number} > coalesce(highest_head, -1) then now() else highest_head_at end,
      quiet_at = case when ${move.head.number} > coalesce(highest_head, -1) then null else quiet_at end
    where chain_id = ${move.chainId} and version = ${move.version}
    returning chain_id`
  return moved.length > 0
}

/**
 * Keeps the feed of a chain from applying anything to the end of the transaction, as it keeps others; two that look at
 * once for what the ledger has of a log would each record it.
 */
export async function lockFeedMark(db: Db, chainId: number): Promise<void> {
  await db`select from deployments where chain_id = ${chainId} for no key update`
}

/**
 * Tells the API's streams that the head of this chain moved, if a transfer on it waits to be deep enough.
 *
 * Sent when the caller's transaction commits. A lost notification costs a stream one poll.
 */
export async function announceHead(db: Db, chainId: number): Promise<void> {
  // A transaction with a NOTIFY takes an instance-wide lock at commit: most blocks need none.
  await db`
    select pg_notify('svc_heads', ${String(chainId)}) from (
      select from transfers
      where chain_id = ${chainId} and credited_at is null and accepted and presence = 'present'
      order by id limit 1) waiting`
}

/**
 * Writes down that the chain's nodes answer and the chain itself has been quiet for the configured bound.
 *
 * Not if our feed has been further than they are: then it is they who have stopped.
 */
export async function markQuiet(db: Db, quiet: { chainId: number; headNumber: number }): Promise<void> {
  await db`
    update deployments set quiet_at = now()
    where chain_id = ${quiet.chainId} and head_number = ${quiet.headNumber} and head_number >= coalesce(highest_head, 0)`
}

/**
 * Resolves if the feed of each of these chains has applied a head, by whichever daemon owns it; an abandoned one need
 * not have.
 *
 * @throws {Error} naming those that have not
 */
export async function requireFeedsLive(db: Db, chainIds: readonly number[]): Promise<void> {
  const rows = await db<{ chainId: number }[]>`
    select a.chain_id from unnest(${chainIds}::int8[]) as a (chain_id)
    left join deployments d on d.chain_id = a.chain_id
    where d.abandoned_at is null and (d.head_number is null or d.contracts_match is null)`
  if (rows.length > 0)
    throw new Error(`no head or contracts read yet of chain ${rows.map((row) => row.chainId).join(', ')}`)
}
