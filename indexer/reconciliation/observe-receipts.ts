import type { PlacedReceipt } from '../../shared/chain/receipts.ts'
import type { ChainRow } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import type { ChainTable } from '../../shared/db/chain-facts/daemon/presence.ts'
import type { SetAsideLog } from '../../shared/db/chain-facts/daemon/set-aside-logs.ts'
import type { ObservedSplitEvent } from '../../shared/db/chain-facts/daemon/split-events.ts'
import type { ObservedTransfer } from '../../shared/db/chain-facts/daemon/transfers.ts'
import { findChargesByAddress } from '../../shared/db/chain-facts/watched-charges.ts'
import type { Db } from '../../shared/db/connect.ts'
import type { ObservedEscrowMovement } from '../../shared/db/escrow/daemon/escrow-movements.ts'
import { decodeReceipt } from '../chain-feed/decode-receipt.ts'
import {
  addressesOf,
  observeSplitEvents,
  observeTransfers,
  type WatchedDeployment,
} from '../chain-feed/observe.ts'
import { observeEscrowMovements } from '../chain-feed/observe-escrow-movements.ts'
import { separate } from '../chain-feed/set-aside.ts'

/** What transactions did to our charges. */
export type ObservedReceipts = {
  readonly transfers: readonly ObservedTransfer[]
  readonly splitEvents: readonly ObservedSplitEvent[]
  readonly movements: readonly ObservedEscrowMovement[]
  /** The same, as the rows that say it. */
  readonly rows: Readonly<Record<ChainTable, readonly ChainRow[]>>
  /** What no column can hold. */
  readonly unfit: readonly SetAsideLog[]
}

/** Tells what receipts show of our charges, by the functions by which the feed would have said it. */
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
  return {
    ...{ transfers: transfers.fit, splitEvents: splitEvents.fit, movements: movements.fit },
    rows: {
      transfers: transfers.fit.map(rowOfTransfer),
      split_events: splitEvents.fit.map(rowOfSplitEvent),
      escrow_movements: movements.fit.map(rowOfMovement),
    },
    unfit: [...transfers.unfit, ...splitEvents.unfit, ...movements.unfit],
  }
}

function rowOfTransfer(transfer: ObservedTransfer): ChainRow {
  const { sender, valueAtomic, refusal } = transfer
  return {
    ...identityOf(transfer),
    ...{ kind: '', party: sender, amountAtomic: valueAtomic, isAccepted: refusal === null },
  }
}

function rowOfSplitEvent(event: ObservedSplitEvent): ChainRow {
  const { kind, account, amountAtomic } = event
  return { ...identityOf(event), kind, party: account, amountAtomic, isAccepted: true }
}

function rowOfMovement(movement: ObservedEscrowMovement): ChainRow {
  const { recipient, amountAtomic } = movement
  return { ...identityOf(movement), kind: '', party: recipient, amountAtomic, isAccepted: true }
}

function identityOf(row: ObservedTransfer | ObservedSplitEvent | ObservedEscrowMovement) {
  const { chainId, chargeId, tokenAddress, txHash, ordinal } = row
  const { blockNumber, blockHash, blockTimestamp, logIndex } = row
  return {
    chainId,
    chargeId,
    tokenAddress,
    txHash,
    ordinal,
    blockNumber,
    blockHash,
    blockTimestamp,
    logIndex,
  }
}
