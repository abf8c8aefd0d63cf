import type { PlacedReceipt } from '../../shared/chain/receipts.ts'
import { type ChainRow, markDeep } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import { lockFeedMark } from '../../shared/db/chain-facts/daemon/deployments.ts'
import { CHAIN_TABLES } from '../../shared/db/chain-facts/daemon/presence.ts'
import { setAsideLogs } from '../../shared/db/chain-facts/daemon/set-aside-logs.ts'
import { recordSplitEvents } from '../../shared/db/chain-facts/daemon/split-events.ts'
import { recordTransfers } from '../../shared/db/chain-facts/daemon/transfers.ts'
import type { LogPlace } from '../../shared/db/chain-facts/reconciliations.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { recordEscrowMovements } from '../../shared/db/escrow/daemon/escrow-movements.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { WatchedDeployment } from '../chain-feed/observe.ts'
import { reportSetAside } from '../chain-feed/set-aside.ts'
import { findUnknown } from './find-unknown.ts'
import { observeReceipts } from './observe-receipts.ts'

/**
 * Records what transactions that are at confirmation depth did to our charges, as the feed would have, and as deep.
 *
 * Rows the ledger has in their place, and of which it says the same, stay as they are but for their depth; the others come
 * from `reconciliation_job` (decisions 3.13). The caller vouches for the depth, and that this may be believed. Repeating it
 * changes nothing. What no column can hold is set aside with an alert.
 *
 * @returns those the ledger did not have so
 */
export async function recordFound(
  { sql, log }: { readonly sql: Sql; readonly log: Logger },
  deployment: WatchedDeployment,
  receipts: readonly PlacedReceipt[],
): Promise<readonly ChainRow[]> {
  const { found, setAside } = await inTransaction(sql, async (db) => {
    await lockFeedMark(db, deployment.chainId)
    const observed = await observeReceipts(db, deployment, receipts)
    const unknown = await findUnknown(db, observed)
    const credits = those(observed.transfers, unknown.transfers)
    const fromUs = credits.map((row) => ({ ...row, source: 'reconciliation_job' }) as const)
    const events = those(observed.splitEvents, unknown.split_events)
    const movements = those(observed.movements, unknown.escrow_movements)
    if (fromUs.length > 0) await recordTransfers(db, fromUs, null)
    if (events.length > 0) await recordSplitEvents(db, events, null)
    if (movements.length > 0) await recordEscrowMovements(db, movements, null)
    for (const table of CHAIN_TABLES) await markDeep(db, table, observed.rows[table])
    return {
      found: CHAIN_TABLES.flatMap((table) => unknown[table]),
      setAside: await setAsideLogs(db, observed.unfit),
    }
  })
  reportSetAside(log, setAside)
  return found
}

/** One log is one row of a table. */
function those<Row extends LogPlace>(rows: readonly Row[], wanted: readonly LogPlace[]): readonly Row[] {
  const places = new Set(wanted.map(keyOf))
  return rows.filter((row) => places.has(keyOf(row)))
}

/** Writes a log's place as a map's key. */
export function keyOf({ txHash, blockHash, logIndex }: LogPlace): string {
  return `${txHash}/${blockHash}/${logIndex}`
}
