import type { PlacedReceipt } from '../../shared/chain/receipts.ts'
import { type ChainRow, listAllChainRows } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import type { ChainTable } from '../../shared/db/chain-facts/daemon/presence.ts'
import type { SetAsideLog } from '../../shared/db/chain-facts/daemon/set-aside-logs.ts'
import type { ObservedSplitEvent } from '../../shared/db/chain-facts/daemon/split-events.ts'
import type { ObservedTransfer } from '../../shared/db/chain-facts/daemon/transfers.ts'
import { findChargesByAddress } from '../../shared/db/chain-facts/watched-charges.ts'
import type { Db } from '../../shared/db/connect.ts'
import type { ObservedEscrowMovement } from '../../shared/db/escrow/daemon/escrow-movements.ts'
import { rowOfMovement, rowOfSplitEvent, rowOfTransfer } from '../chain-feed/chain-row-of.ts'
import { decodeReceipt } from '../chain-feed/decode-receipt.ts'
import { keepOrdinals } from '../chain-feed/keep-ordinals.ts'
import {
  addressesOf,
  observeSplitEvents,
  observeTransfers,
  type WatchedDeployment,
} from '../chain-feed/observe.ts'
import { observeEscrowMovements } from '../chain-feed/observe-escrow-movements.ts'
import { separate } from '../chain-feed/set-aside.ts'

/** Effects of transactions on our charges. */
export type ObservedReceipts = {
  readonly transfers: readonly ObservedTransfer[]
  readonly splitEvents: readonly ObservedSplitEvent[]
  readonly movements: readonly ObservedEscrowMovement[]
  /** The same effects, as ledger rows. */
  readonly rows: Readonly<Record<ChainTable, readonly ChainRow[]>>
  /** Logs that no column can hold. */
  readonly unfit: readonly SetAsideLog[]
}

/**
 * Returns the effects of receipts on our charges. It uses the feed's functions and the ledger's ordinals, so that both
 * produce the same rows.
 */
export async function observeReceipts(
  db: Db,
  deployment: WatchedDeployment,
  receipts: readonly PlacedReceipt[],
): Promise<ObservedReceipts> {
  const decoded = receipts.map(decodeReceipt)
  const seen = {
    transfers: decoded.flatMap((receipt) => receipt.transfers),
    splitEvents: decoded.flatMap((receipt) => receipt.splitEvents),
  }
  const charges = await findChargesByAddress(db, addressesOf(seen))
  const transfers = separate(observeTransfers(seen.transfers, deployment, charges))
  const splitEvents = separate(observeSplitEvents(seen.splitEvents, deployment, charges))
  const movements = separate(observeEscrowMovements(seen.transfers, deployment, charges))
  const of = { chainId: deployment.chainId, txHashes: receipts.map(({ txHash }) => txHash) }
  const known = {
    transfers: await listAllChainRows(db, 'transfers', of),
    splitEvents: await listAllChainRows(db, 'split_events', of),
    movements: await listAllChainRows(db, 'escrow_movements', of),
  }
  const kept = {
    transfers: keepOrdinals(transfers.fit, { ledger: known.transfers, rowOf: rowOfTransfer }),
    splitEvents: keepOrdinals(splitEvents.fit, { ledger: known.splitEvents, rowOf: rowOfSplitEvent }),
    movements: keepOrdinals(movements.fit, { ledger: known.movements, rowOf: rowOfMovement }),
  }
  return {
    ...kept,
    rows: {
      transfers: kept.transfers.map(rowOfTransfer),
      split_events: kept.splitEvents.map(rowOfSplitEvent),
      escrow_movements: kept.movements.map(rowOfMovement),
    },
    unfit: [...transfers.unfit, ...splitEvents.unfit, ...movements.unfit],
  }
}
