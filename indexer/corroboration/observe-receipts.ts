import type { PositionedReceipt } from '../../shared/chain/nodes/receipts.ts'
import { type ChainRow, listAllChainRows } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import type { DeadLetterLog } from '../../shared/db/chain-facts/daemon/dead-letter-logs.ts'
import type { ChainTable } from '../../shared/db/chain-facts/daemon/inclusion.ts'
import type { ObservedSplitEvent } from '../../shared/db/chain-facts/daemon/split-events.ts'
import type { ObservedTransfer } from '../../shared/db/chain-facts/daemon/transfers.ts'
import { findChargesByAddress } from '../../shared/db/chain-facts/watched-charges.ts'
import type { Db } from '../../shared/db/connect.ts'
import type { ObservedEscrowTransfer } from '../../shared/db/escrow/daemon/escrow-transfers.ts'
import { partitionStorable } from '../chain-feed/dead-letter-logs.ts'
import { decodeReceipt } from '../chain-feed/decode-receipt.ts'
import { matchOrdinals } from '../chain-feed/match-ordinals.ts'
import {
  listAddresses,
  observeSplitEvents,
  observeTransfers,
  type WatchedDeployment,
} from '../chain-feed/observe.ts'
import { observeEscrowTransfers } from '../chain-feed/observe-escrow-transfers.ts'
import { toEscrowTransferRow, toSplitEventRow, toTransferRow } from '../chain-feed/to-chain-row.ts'

/** Effects of transactions on our charges. */
export type ObservedReceipts = {
  readonly transfers: readonly ObservedTransfer[]
  readonly splitEvents: readonly ObservedSplitEvent[]
  readonly movements: readonly ObservedEscrowTransfer[]
  /** The same effects, as ledger rows. */
  readonly rows: Readonly<Record<ChainTable, readonly ChainRow[]>>
  /** Logs that no column can hold. */
  readonly unfit: readonly DeadLetterLog[]
}

/**
 * Returns the effects of receipts on our charges. It uses the feed's functions and the ledger's ordinals, so that both
 * produce the same rows.
 */
export async function observeReceipts(
  db: Db,
  deployment: WatchedDeployment,
  receipts: readonly PositionedReceipt[],
): Promise<ObservedReceipts> {
  const decoded = receipts.map(decodeReceipt)
  const seen = {
    transfers: decoded.flatMap((receipt) => receipt.transfers),
    splitEvents: decoded.flatMap((receipt) => receipt.splitEvents),
  }
  const charges = await findChargesByAddress(db, listAddresses(seen))
  const transfers = partitionStorable(observeTransfers(seen.transfers, deployment, charges))
  const splitEvents = partitionStorable(observeSplitEvents(seen.splitEvents, deployment, charges))
  const movements = partitionStorable(observeEscrowTransfers(seen.transfers, deployment, charges))
  const of = { chainId: deployment.chainId, txHashes: receipts.map(({ txHash }) => txHash) }
  const known = {
    transfers: await listAllChainRows(db, 'transfers', of),
    splitEvents: await listAllChainRows(db, 'split_events', of),
    movements: await listAllChainRows(db, 'escrow_transfers', of),
  }
  const kept = {
    transfers: matchOrdinals(transfers.fit, { ledger: known.transfers, rowOf: toTransferRow }),
    splitEvents: matchOrdinals(splitEvents.fit, { ledger: known.splitEvents, rowOf: toSplitEventRow }),
    movements: matchOrdinals(movements.fit, { ledger: known.movements, rowOf: toEscrowTransferRow }),
  }
  return {
    ...kept,
    rows: {
      transfers: kept.transfers.map(toTransferRow),
      split_events: kept.splitEvents.map(toSplitEventRow),
      escrow_transfers: kept.movements.map(toEscrowTransferRow),
    },
    unfit: [...transfers.unfit, ...splitEvents.unfit, ...movements.unfit],
  }
}
