import { listAllChainRows, restoreAgreed } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import { CHAIN_TABLES, type ChainTable } from '../../shared/db/chain-facts/daemon/chain-tables.ts'
import {
  type DeadLetterLog,
  insertDeadLetterLogs,
} from '../../shared/db/chain-facts/daemon/dead-letter-logs.ts'
import {
  advanceFeedWatermark,
  type FeedWatermark,
  getFeedWatermark,
  notifyHead,
} from '../../shared/db/chain-facts/daemon/deployments.ts'
import { listLedgerRows, markMissing } from '../../shared/db/chain-facts/daemon/inclusion.ts'
import { type ObservedRow, recordChainRows } from '../../shared/db/chain-facts/daemon/observed-rows.ts'
import { type PonderSnapshot, readSnapshot } from '../../shared/db/chain-facts/daemon/ponder-tables.ts'
import { findChargesByAddress } from '../../shared/db/chain-facts/watched-charges.ts'
import type { Db, Sql } from '../../shared/db/connect.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { partitionStorable } from './dead-letter-logs.ts'
import { diffLedger } from './diff-ledger.ts'
import { matchOrdinals } from './match-ordinals.ts'
import { listAddresses, type WatchedDeployment } from './observe.ts'
import { observeRows } from './observe-rows.ts'

/** A deployment and the Ponder schema that its feed reads now. */
export type FeedSource = WatchedDeployment & {
  readonly confirmations: number
  readonly ponderSchema: string
}

/** Maximum rows per statement, which bounds the size of the statement's JSON. */
const ROWS_PER_STATEMENT = 1_000

/**
 * Updates our ledger to match Ponder's tables. Idempotent.
 *
 * 1. Reads Ponder's rows from the watermark on, in one repeatable-read snapshot that is closed before the first write.
 * 2. Advances the watermark, in one transaction with the following steps. If another feed has advanced the watermark
 *    since step 1, changes nothing.
 * 3. Records rows that are new, moved or included again. Marks rows as missing that Ponder no longer shows. Records
 *    logs as dead letters if a value is too large for its column, because such a log would otherwise stop the chain.
 * 4. If the head or a row has changed and a transfer waits for its confirmations, notifies the API's streams.
 *
 * @returns the head and the changes, or `null` if Ponder has no head yet or another feed has advanced the watermark.
 * `hasNews`: whether the head or any row changed; `setAside`: the new dead letters
 */
export async function applySnapshot(sql: Sql, source: FeedSource) {
  const mark = await getFeedWatermark(sql, source.chainId)
  const snapshot = await readSnapshot(sql, {
    schema: source.ponderSchema,
    fromBlock: mark.watermarkNumber,
    confirmations: source.confirmations,
  })
  if (snapshot === null) return null
  return inTransaction(sql, async (db) => {
    if (!(await moveMark(db, { source, mark, snapshot }))) return null
    const news = await applyRows(db, { source, snapshot, fromBlock: mark.watermarkNumber })
    const hasNews = mark.headNumber !== snapshot.head.number || news.recorded + news.missing > 0
    if (hasNews) await notifyHead(db, source.chainId)
    return { headNumber: snapshot.head.number, hasNews, ...news }
  })
}

type Turn = { readonly source: FeedSource; readonly snapshot: PonderSnapshot }

function moveMark(db: Db, { source, mark, snapshot }: Turn & { mark: FeedWatermark }): Promise<boolean> {
  return advanceFeedWatermark(db, {
    chainId: source.chainId,
    watermarkVersion: mark.watermarkVersion,
    ponderSchema: source.ponderSchema,
    head: snapshot.head,
    deep: snapshot.deep,
    watermarkNumber: snapshot.finalized.number,
  })
}

async function applyRows(db: Db, { source, snapshot, fromBlock }: Turn & { fromBlock: number }) {
  const { chainId, ponderSchema } = source
  const charges = await findChargesByAddress(db, listAddresses(snapshot))
  const observed = observeRows(snapshot, source, charges)
  const news = { recorded: 0, missing: 0 }
  const unfit: DeadLetterLog[] = []
  for (const table of CHAIN_TABLES) {
    const ledger = await listLedgerRows(db, table, { chainId, fromBlock })
    const state = { ledger, ponderSchema, headNumber: snapshot.head.number }
    const changes = await applyTable(db, { chainId, table, state }, observed[table])
    news.recorded += changes.recorded
    news.missing += changes.missing
    unfit.push(...changes.unfit)
  }
  return { ...news, setAside: await insertDeadLetterLogs(db, unfit) }
}

type TableTurn = {
  readonly chainId: number
  readonly table: ChainTable
  readonly state: Parameters<typeof diffLedger>[1]
}

async function applyTable(db: Db, turn: TableTurn, rows: readonly ObservedRow[]) {
  const { table, state } = turn
  const { fit, unfit } = partitionStorable(rows)
  const counted = diffLedger(fit, state)
  const observed = await keepKnown(db, turn, { fit, changed: counted.changed })
  const { changed, missing } = observed === fit ? counted : diffLedger(observed, state)
  const changedIn = new Set(changed.map(({ txHash }) => txHash))
  // Record whole transactions, because an escrow transfer is classified by all transfers that leave the Safe in its
  // transaction. Rows that a quorum has shown keep their content.
  const others = await restoreAgreed(db, table, {
    rows: observed.filter(({ txHash }) => changedIn.has(txHash)),
    ponderSchema: state.ponderSchema,
  })
  for (let at = 0; at < others.length; at += ROWS_PER_STATEMENT) {
    const page = { rows: others.slice(at, at + ROWS_PER_STATEMENT), ponderSchema: state.ponderSchema }
    await recordChainRows(db, table, page)
  }
  if (missing.length > 0) await markMissing(db, table, missing)
  return { recorded: changed.length, missing: missing.length, unfit }
}

/** Gives rows the ordinals of their ledger rows. Reads the ledger only for transactions with changes, which are few. */
async function keepKnown(
  db: Db,
  { chainId, table }: TableTurn,
  { fit, changed }: { readonly fit: readonly ObservedRow[]; readonly changed: readonly ObservedRow[] },
): Promise<readonly ObservedRow[]> {
  if (changed.length === 0) return fit
  const txHashes = [...new Set(changed.map(({ txHash }) => txHash))]
  const ledger = await listAllChainRows(db, table, { chainId, txHashes })
  return ledger.length === 0 ? fit : matchOrdinals(fit, ledger)
}
