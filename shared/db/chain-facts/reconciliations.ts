import type { Hex } from '../../domain/address.ts'
import type { Environment } from '../../domain/networks.ts'
import type { Db } from '../connect.ts'
import { isOpen } from '../predicates.ts'
import { atDepth } from './daemon/at-depth.ts'
import { getColumns, unionTables } from './daemon/chain-tables.ts'
import type { WatchedCharge } from './watched-charges.ts'

/**
 * Claims the next reconciliation of a chain, if it is due. The first reconciliation begins after `firstBlock`.
 *
 * @returns the block up to which all blocks have been compared; `null` if no reconciliation is due or the chain is not
 * watched
 */
export async function claimReconciliation(
  db: Db,
  claim: { readonly chainId: number; readonly firstBlock: number; readonly intervalSeconds: number },
): Promise<number | null> {
  const [row] = await db<{ scannedBlockNumber: number }[]>`
    insert into reconciliations as r (chain_id, scanned_block_number, next_attempt_at)
    select chain_id, ${claim.firstBlock}, now() + make_interval(secs => ${claim.intervalSeconds})
    from deployments where chain_id = ${claim.chainId}
    on conflict (chain_id) do update set next_attempt_at = excluded.next_attempt_at where r.next_attempt_at <= now()
    returning scanned_block_number`
  return row?.scannedBlockNumber ?? null
}

/**
 * Records that all blocks up to this block have been compared. If `isDueAgain`, the next reconciliation is due
 * immediately.
 */
export async function recordScan(
  db: Db,
  scan: { readonly chainId: number; readonly scannedBlockNumber: number; readonly isDueAgain: boolean },
): Promise<void> {
  await db`
    update reconciliations set scanned_block_number = greatest(scanned_block_number, ${scan.scannedBlockNumber}),
      next_attempt_at = case when ${scan.isDueAgain} then now() else next_attempt_at end
    where chain_id = ${scan.chainId}`
}

/** A charge to reconcile. */
export type ReconciledCharge = WatchedCharge & { readonly isEscrow: boolean; readonly createdAt: Date }

/**
 * Lists charges after `after`, ordered by id, that accept a chain and are open, were created recently, or had recent
 * activity.
 *
 * Ids sort by creation time. Open charges have an index in this order. Charges with recent activity are read through an
 * index on the time of the activity, and only while `after` is below `recentId`. Old closed charges are not read.
 *
 * @param query.recentId - charges with a higher id were created recently
 * @param query.recentAt - later activity is recent
 */
export async function listReconciledCharges(
  db: Db,
  query: {
    readonly chainId: number
    readonly environment: Environment
    readonly recentId: string
    readonly recentAt: Date
    readonly after: string
    readonly limit: number
  },
): Promise<readonly ReconciledCharge[]> {
  const { chainId, environment, recentId, recentAt, after, limit } = query
  const wanted = db`
    select c.id, c.address, c.split_address, c.environment, c.accepted_payments, c.created_at,
      c.escrow_releaser is not null as is_escrow
    from charges c where c.environment = ${environment} and ${chainId} = any (c.accepted_chains)`
  return db<ReconciledCharge[]>`
    with active as materialized (
      -- Ids are compared as expressions. Otherwise PostgreSQL's generic plan walks the primary key through all old
      -- charges.
      ${wanted} and ${after < recentId} and c.last_activity_at > ${recentAt}
        and c.id || '' > ${after} and c.id || '' <= ${recentId}
    )
    select * from (
      (${wanted} and ${isOpen(db, db`c.status`)} and c.id > ${after} order by c.id limit ${limit})
      union
      (${wanted} and c.id > greatest(${after}, ${recentId}::text) order by c.id limit ${limit})
      union
      (select * from active order by id limit ${limit})
    ) c order by c.id limit ${limit}`
}

/** Position of a log on a chain. */
export type LogPosition = {
  readonly txHash: Hex
  readonly blockHash: Hex
  readonly logIndex: number
}

/**
 * Lists the logs in a block range whose rows need no more work: they are counted, or a quorum has shown them at
 * confirmation depth.
 */
export async function listProcessedLogs(
  db: Db,
  range: { readonly chainId: number; readonly fromBlock: number; readonly toBlock: number },
): Promise<readonly LogPosition[]> {
  const { chainId, fromBlock, toBlock } = range
  return db<LogPosition[]>`${unionTables(
    db,
    (table) => db`
      select r.tx_hash, r.block_hash, r.log_index from ${db(table)} r join deployments d on d.chain_id = r.chain_id
      where r.chain_id = ${chainId} and r.inclusion = 'included' and r.block_number between ${fromBlock} and ${toBlock}
        and (${getColumns(db, table).countedAt} is not null or ${atDepth(db, 'r')})`,
  )}`
}
