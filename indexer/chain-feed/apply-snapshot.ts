import {
  type ChainRow,
  listAllChainRows,
  restoreAgreed,
} from '../../shared/db/chain-facts/daemon/chain-rows.ts'
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
import { type ChainTable, markMissing } from '../../shared/db/chain-facts/daemon/inclusion.ts'
import { type PonderSnapshot, readSnapshot } from '../../shared/db/chain-facts/daemon/ponder-tables.ts'
import {
  listLedgerSplitEvents,
  type ObservedSplitEvent,
  recordSplitEvents,
} from '../../shared/db/chain-facts/daemon/split-events.ts'
import {
  listLedgerTransfers,
  type ObservedTransfer,
  recordTransfers,
} from '../../shared/db/chain-facts/daemon/transfers.ts'
import { findChargesByAddress } from '../../shared/db/chain-facts/watched-charges.ts'
import type { Db, Sql } from '../../shared/db/connect.ts'
import {
  listLedgerEscrowTransfers,
  type ObservedEscrowTransfer,
  recordEscrowTransfers,
} from '../../shared/db/escrow/daemon/escrow-transfers.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { partitionStorable } from './dead-letter-logs.ts'
import { diffLedger, type LedgerRow, type RowPosition } from './diff-ledger.ts'
import { matchOrdinals } from './match-ordinals.ts'
import { listAddresses, observeSplitEvents, observeTransfers, type WatchedDeployment } from './observe.ts'
import { observeEscrowTransfers } from './observe-escrow-transfers.ts'
import { toEscrowTransferRow, toSplitEventRow, toTransferRow } from './to-chain-row.ts'

/** A deployment and the schema that currently feeds it. */
export type FeedSource = WatchedDeployment & {
  readonly confirmations: number
  readonly ponderSchema: string
}

/** Result of one turn of the feed; `null` if Ponder has no head yet or another feed won the compare-and-swap. */
export type AppliedSnapshot = {
  readonly headNumber: number
  /** Whether the head moved or any row changed. */
  readonly hasNews: boolean
  readonly recorded: number
  readonly missing: number
  /** Logs that no column can hold, and that were not recorded as such before. */
  readonly setAside: readonly DeadLetterLog[]
}

/** Rows per statement; bounds the size of its JSON. */
const ROWS_PER_STATEMENT = 1_000

/**
 * Updates our ledger to match Ponder's tables. Facts and head are written in one transaction, by compare-and-swap on
 * the watermark.
 *
 * 1. Reads Ponder's rows from the low-water mark on in one repeatable-read snapshot, and closes it before the first
 *    write.
 * 2. Moves the watermark. A feed that loses the race applies no rows.
 * 3. Records rows that are new, moved or included again; marks rows as missing that this schema has shown and no longer
 *    shows; sets aside rows that no column can hold, because one such row would stop the chain.
 * 4. Notifies the streams whose confirmations have changed.
 *
 * Idempotent: repeating it changes no rows.
 */
export async function applySnapshot(sql: Sql, source: FeedSource): Promise<AppliedSnapshot | null> {
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
  const { ponderSchema } = source
  const charges = await findChargesByAddress(db, listAddresses(snapshot))
  const range = { chainId: source.chainId, fromBlock }
  const judged = { db, chainId: source.chainId, ponderSchema, headNumber: snapshot.head.number }
  const changes = [
    await applyKind({
      ...judged,
      observed: observeTransfers(snapshot.transfers, source, charges),
      ledger: await listLedgerTransfers(db, range),
      identityOf: ({ txHash, tokenAddress, chargeId, ordinal }) => [txHash, tokenAddress, chargeId, ordinal],
      record: (page: readonly ObservedTransfer[]) => recordTransfers(db, page, ponderSchema),
      ...{ table: 'transfers', rowOf: toTransferRow },
    }),
    await applyKind({
      ...judged,
      observed: observeSplitEvents(snapshot.splitEvents, source, charges),
      ledger: await listLedgerSplitEvents(db, range),
      identityOf: (row) => [row.txHash, row.tokenAddress, row.chargeId, row.kind, row.ordinal],
      record: (page: readonly ObservedSplitEvent[]) => recordSplitEvents(db, page, ponderSchema),
      ...{ table: 'split_events', rowOf: toSplitEventRow },
    }),
    await applyKind({
      ...judged,
      observed: observeEscrowTransfers(snapshot.transfers, source, charges),
      ledger: await listLedgerEscrowTransfers(db, range),
      identityOf: ({ txHash, tokenAddress, chargeId, ordinal }) => [txHash, tokenAddress, chargeId, ordinal],
      record: (page: readonly ObservedEscrowTransfer[]) => recordEscrowTransfers(db, page, ponderSchema),
      ...{ table: 'escrow_transfers', rowOf: toEscrowTransferRow },
    }),
  ]
  return {
    recorded: changes.reduce((sum, { recorded }) => sum + recorded, 0),
    missing: changes.reduce((sum, { missing }) => sum + missing, 0),
    setAside: await insertDeadLetterLogs(
      db,
      changes.flatMap(({ unfit }) => unfit),
    ),
  }
}

type ObservedRow = RowPosition &
  Parameters<typeof partitionStorable>[0][number] & { readonly ordinal: number }

type Kind<Observed extends ObservedRow, Ledger extends LedgerRow> = {
  readonly db: Db
  readonly chainId: number
  readonly table: ChainTable
  readonly ponderSchema: string
  readonly headNumber: number
  readonly observed: readonly Observed[]
  readonly ledger: readonly Ledger[]
  readonly identityOf: (row: Observed | Ledger) => readonly (string | number)[]
  readonly rowOf: (row: Observed) => ChainRow
  readonly record: (page: readonly Observed[]) => Promise<void>
}

/** Updates the ledger for one kind of rows. */
async function applyKind<Observed extends ObservedRow, Ledger extends LedgerRow>(
  kind: Kind<Observed, Ledger>,
) {
  const { fit, unfit } = partitionStorable(kind.observed)
  const identityOf = (row: Observed | Ledger) => kind.identityOf(row).join('/')
  const counted = diffLedger({ ...kind, observed: fit }, identityOf)
  const observed = await keepKnown(kind, { fit, changed: counted.changed })
  const { changed, missing } = observed === fit ? counted : diffLedger({ ...kind, observed }, identityOf)
  const changedIn = new Set(changed.map(({ txHash }) => txHash))
  // Record whole transactions, because an escrow transfer is classified by all transfers that leave the Safe in the
  // transaction. Rows that a quorum has shown keep their content.
  const rows = await withoutAgreed(
    kind,
    observed.filter(({ txHash }) => changedIn.has(txHash)),
  )
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    await kind.record(rows.slice(at, at + ROWS_PER_STATEMENT))
  }
  if (missing.length > 0) await markMissing(kind.db, kind.table, missing)
  return { recorded: changed.length, missing: missing.length, unfit }
}

async function withoutAgreed<Observed extends ObservedRow, Ledger extends LedgerRow>(
  { db, table, ponderSchema, rowOf }: Kind<Observed, Ledger>,
  observed: readonly Observed[],
): Promise<readonly Observed[]> {
  const rows = observed.map(rowOf)
  const others = await restoreAgreed(db, table, { rows, ponderSchema })
  return observed.filter((_, at) => others.has(rows[at] as ChainRow))
}

/** Reuses the ledger's ordinals in transactions with a change. Most turns have no change. */
async function keepKnown<Observed extends ObservedRow, Ledger extends LedgerRow>(
  { db, chainId, table, rowOf }: Kind<Observed, Ledger>,
  { fit, changed }: { readonly fit: readonly Observed[]; readonly changed: readonly Observed[] },
): Promise<readonly Observed[]> {
  if (changed.length === 0) return fit
  const txHashes = [...new Set(changed.map(({ txHash }) => txHash))]
  const ledger = await listAllChainRows(db, table, { chainId, txHashes })
  return ledger.length === 0 ? fit : matchOrdinals(fit, { ledger, rowOf })
}
