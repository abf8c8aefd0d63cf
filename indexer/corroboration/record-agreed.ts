import type { Agreed } from '../../shared/chain/nodes/quorum.ts'
import type { PositionedReceipt } from '../../shared/chain/nodes/receipts.ts'
import {
  type ChainRow,
  type DeniedRow,
  listChainRows,
  markAgreed,
  markDenied,
  markUnfedMissing,
} from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import { CHAIN_TABLES } from '../../shared/db/chain-facts/daemon/chain-tables.ts'
import { insertDeadLetterLogs } from '../../shared/db/chain-facts/daemon/dead-letter-logs.ts'
import { lockFeedWatermark } from '../../shared/db/chain-facts/daemon/deployments.ts'
import { recordChainRows } from '../../shared/db/chain-facts/daemon/observed-rows.ts'
import type { LogPosition } from '../../shared/db/chain-facts/reconciliations.ts'
import type { Db, Sql } from '../../shared/db/connect.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Hex } from '../../shared/domain/address.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { reportDeadLetterLogs } from '../chain-feed/dead-letter-logs.ts'
import type { WatchedDeployment } from '../chain-feed/observe.ts'
import { contentOf, findUnrecorded, positionOf } from './find-unrecorded.ts'
import { type ObservedReceipts, observeReceipts } from './observe-receipts.ts'

/** Effects of one transaction that a quorum shows. */
export type AgreedEffects = {
  readonly txHash: Hex
  /** `null` if the transaction is in no block of the chain, or has failed. */
  readonly effects: Agreed<PositionedReceipt | null>
  /** The highest block at confirmation depth when the quorum was queried; -1 if unknown. */
  readonly confirmedHeadNumber: number
}

/** Result of `recordAgreed`. */
export type RecordedRows = {
  /** Rows that the ledger lacked, or had with other content. */
  readonly found: readonly ChainRow[]
  /** Ledger rows that a quorum denies. */
  readonly denied: readonly DeniedRow[]
}

/**
 * Records the effects of transactions that a quorum shows, in one database transaction.
 *
 * Inserts the rows that the ledger lacks, and updates the rows that it has with other content. Such a transfer has the
 * source `reconciliation_job` (decisions 3.13). Every shown row is then marked as agreed, and also as corroborated if
 * its block is at confirmation depth. A ledger row of these transactions is orphaned if it is at confirmation depth,
 * the quorum does not show its values, and no earlier quorum agreed on it. Logs with a value that is too large for its
 * column become dead letters, with an alert. Idempotent.
 */
export async function recordAgreed(
  { sql, log }: { readonly sql: Sql; readonly log: Logger },
  deployment: WatchedDeployment,
  all: readonly AgreedEffects[],
): Promise<RecordedRows> {
  if (all.length === 0) return { found: [], denied: [] }
  const result = await inTransaction(sql, async (db) => {
    await lockFeedWatermark(db, deployment.chainId)
    const receipts = all.flatMap(({ effects }) => effects.value ?? [])
    const observed = await observeReceipts(db, deployment, receipts)
    const found = await recordUnknown(db, observed)
    for (const one of all) await markRows(db, one, observed)
    const denied = await denyOthers(db, { deployment, all, observed })
    return { found, denied, setAside: await insertDeadLetterLogs(db, observed.unfit) }
  })
  reportDeadLetterLogs(log, result.setAside)
  return result
}

async function recordUnknown(db: Db, { rows }: ObservedReceipts): Promise<readonly ChainRow[]> {
  const found: ChainRow[] = []
  for (const table of CHAIN_TABLES) {
    const unknown = (await findUnrecorded(db, table, rows[table])).map((row) =>
      'source' in row ? { ...row, source: 'reconciliation_job' as const } : row,
    )
    if (unknown.length > 0) await recordChainRows(db, table, { rows: unknown, ponderSchema: null })
    found.push(...unknown)
  }
  return found
}

async function markRows(
  db: Db,
  { effects, confirmedHeadNumber }: AgreedEffects,
  { rows }: ObservedReceipts,
): Promise<void> {
  const receipt = effects.value
  if (receipt === null) return
  const mark = { by: effects.by, isDeep: receipt.blockNumber <= confirmedHeadNumber }
  for (const table of CHAIN_TABLES)
    await markAgreed(db, table, { rows: rows[table].filter((row) => row.txHash === receipt.txHash), mark })
}

type Recording = {
  readonly deployment: WatchedDeployment
  readonly all: readonly AgreedEffects[]
  readonly observed: ObservedReceipts
}

/**
 * Denies the ledger rows at confirmation depth that the quorum does not show. Higher rows are not denied, because a
 * node may lag, and a transaction may still move to another block.
 *
 * A row on which a quorum agreed earlier is not denied either, because a reorganization must have removed its
 * transaction. If only a scan or a check has found such a row, no feed marks it as missing. This function therefore
 * does, and `resolveMissing` decides whether the row is orphaned.
 */
async function denyOthers(
  db: Db,
  { deployment: { chainId }, all, observed }: Recording,
): Promise<readonly DeniedRow[]> {
  const deepOf = new Map(
    all
      .filter(({ effects, confirmedHeadNumber }) => (effects.value?.blockNumber ?? -1) <= confirmedHeadNumber)
      .map(({ txHash, confirmedHeadNumber }) => [txHash, confirmedHeadNumber]),
  )
  if (deepOf.size === 0) return []
  const denied: DeniedRow[] = []
  for (const table of CHAIN_TABLES) {
    const shown = new Set(observed.rows[table].map(textOf))
    const ledger = await listChainRows(db, table, { chainId, txHashes: [...deepOf.keys()] })
    const others = ledger
      .filter((row) => row.blockNumber <= (deepOf.get(row.txHash) ?? -1))
      .filter((row) => !shown.has(textOf(row)))
    denied.push(...(await markDenied(db, table, others)))
    await markUnfedMissing(db, table, others)
  }
  return denied
}

/**
 * Includes the values, because `recordChainRows` does not change the values of a counted row. Such a row can therefore
 * have the position of the quorum's row, but other values.
 */
function textOf(row: ChainRow): string {
  return [positionOf(row), contentOf(row)].join('/')
}

/** Returns the position of a log as a map key. */
export function getLogKey({ txHash, blockHash, logIndex }: LogPosition): string {
  return `${txHash}/${blockHash}/${logIndex}`
}
