import type { CanonicalReceipt } from '../../shared/chain/receipts.ts'
import { setAsideLogs } from '../../shared/db/chain-facts/daemon/set-aside-logs.ts'
import { listLedgerSplitEvents, recordSplitEvents } from '../../shared/db/chain-facts/daemon/split-events.ts'
import { listLedgerTransfers, recordTransfers } from '../../shared/db/chain-facts/daemon/transfers.ts'
import { type LogPlace, markDeep } from '../../shared/db/chain-facts/reconciliations.ts'
import { findChargesByAddress } from '../../shared/db/chain-facts/watched-charges.ts'
import type { Sql } from '../../shared/db/connect.ts'
import {
  listLedgerEscrowMovements,
  recordEscrowMovements,
} from '../../shared/db/escrow/daemon/escrow-movements.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { decodeReceipt } from '../chain-feed/decode-receipt.ts'
import {
  addressesOf,
  observeSplitEvents,
  observeTransfers,
  type WatchedDeployment,
} from '../chain-feed/observe.ts'
import { observeEscrowMovements } from '../chain-feed/observe-escrow-movements.ts'
import { reportSetAside, separate } from '../chain-feed/set-aside.ts'

/** A row that the watcher had not, or had elsewhere. */
export type FoundRow = LogPlace & { readonly chargeId: string; readonly chainId: number }

/**
 * Records what transactions that are at confirmation depth did to our charges, as the feed would have, and as deep.
 *
 * Rows the ledger has in their place stay as they are but for their depth; the others come from `reconciliation_job`
 * (decisions 3.13). The caller vouches for the depth. Repeating it changes nothing. What no column can hold is set
 * aside with an alert.
 *
 * @returns those the ledger did not have there
 */
export async function recordFound(
  { sql, log }: { readonly sql: Sql; readonly log: Logger },
  deployment: WatchedDeployment,
  receipts: readonly CanonicalReceipt[],
): Promise<readonly FoundRow[]> {
  const decoded = receipts.map(decodeReceipt)
  const transfers = decoded.flatMap((receipt) => receipt.transfers)
  const splitEvents = decoded.flatMap((receipt) => receipt.splitEvents)
  const range = {
    chainId: deployment.chainId,
    fromBlock: Math.min(...receipts.map(({ blockNumber }) => blockNumber)),
  }
  const { found, setAside } = await inTransaction(sql, async (db) => {
    const charges = await findChargesByAddress(db, addressesOf({ transfers, splitEvents }))
    const { fit: credits, unfit: unfitCredits } = separate(observeTransfers(transfers, deployment, charges))
    const { fit: events, unfit: unfitEvents } = separate(observeSplitEvents(splitEvents, deployment, charges))
    const { fit: movements, unfit: unfitMovements } = separate(
      observeEscrowMovements(transfers, deployment, charges),
    )

    const newCredits = unknown(credits, await listLedgerTransfers(db, range))
    const newEvents = unknown(events, await listLedgerSplitEvents(db, range))
    const newMovements = unknown(movements, await listLedgerEscrowMovements(db, range))
    const fromUs = newCredits.map((row) => ({ ...row, source: 'reconciliation_job' }) as const)
    if (fromUs.length > 0) await recordTransfers(db, fromUs, null)
    if (newEvents.length > 0) await recordSplitEvents(db, newEvents, null)
    if (newMovements.length > 0) await recordEscrowMovements(db, newMovements, null)

    await markDeep(db, 'transfers', credits)
    await markDeep(db, 'split_events', events)
    await markDeep(db, 'escrow_movements', movements)
    return {
      found: [...newCredits, ...newEvents, ...newMovements],
      setAside: await setAsideLogs(db, [...unfitCredits, ...unfitEvents, ...unfitMovements]),
    }
  })
  reportSetAside(log, setAside)
  return found
}

type KnownRow = LogPlace & { readonly presence: 'present' | 'missing' }

/** The rows that the ledger does not have as present at that very place. */
function unknown<Row extends LogPlace>(rows: readonly Row[], ledger: readonly KnownRow[]): readonly Row[] {
  const known = new Set(ledger.filter(({ presence }) => presence === 'present').map(keyOf))
  return rows.filter((row) => !known.has(keyOf(row)))
}

/** Writes a log's place as a map's key. */
export function keyOf({ txHash, blockHash, logIndex }: LogPlace): string {
  return `${txHash}/${blockHash}/${logIndex}`
}
