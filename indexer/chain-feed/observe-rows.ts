import type { ObservedRows } from '../../shared/db/chain-facts/daemon/observed-rows.ts'
import type { WatchedCharge } from '../../shared/db/chain-facts/watched-charges.ts'
import type { DecodedReceipt } from './decode-receipt.ts'
import { observeSplitEvents, observeTransfers, type WatchedDeployment } from './observe.ts'
import { observeEscrowTransfers } from './observe-escrow-transfers.ts'

/** Returns the rows of our charges, by table. */
export function observeRows(
  { transfers, splitEvents }: DecodedReceipt,
  deployment: WatchedDeployment,
  charges: readonly WatchedCharge[],
): ObservedRows {
  return {
    transfers: observeTransfers(transfers, deployment, charges),
    split_events: observeSplitEvents(splitEvents, deployment, charges),
    escrow_transfers: observeEscrowTransfers(transfers, deployment, charges),
  }
}
