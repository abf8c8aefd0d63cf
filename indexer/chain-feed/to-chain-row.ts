import type { ChainRow } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import type { ObservedSplitEvent } from '../../shared/db/chain-facts/daemon/split-events.ts'
import type { ObservedTransfer } from '../../shared/db/chain-facts/daemon/transfers.ts'
import type { ObservedEscrowTransfer } from '../../shared/db/escrow/daemon/escrow-transfers.ts'

/** Returns the ledger row of an observed transfer. */
export function toTransferRow(transfer: ObservedTransfer): ChainRow {
  const { sender, valueAtomic, rejectionReason } = transfer
  return {
    ...identityOf(transfer),
    ...{ kind: '', party: sender, amountAtomic: valueAtomic, isAccepted: rejectionReason === null },
  }
}

/** Returns the ledger row of an observed split event. */
export function toSplitEventRow(event: ObservedSplitEvent): ChainRow {
  const { kind, account, amountAtomic } = event
  return { ...identityOf(event), kind, party: account, amountAtomic, isAccepted: true }
}

/** Returns the ledger row of an observed escrow transfer. */
export function toEscrowTransferRow(movement: ObservedEscrowTransfer): ChainRow {
  const { recipient, amountAtomic } = movement
  return { ...identityOf(movement), kind: '', party: recipient, amountAtomic, isAccepted: true }
}

function identityOf(row: ObservedTransfer | ObservedSplitEvent | ObservedEscrowTransfer) {
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
