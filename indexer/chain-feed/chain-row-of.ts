import type { ChainRow } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import type { ObservedSplitEvent } from '../../shared/db/chain-facts/daemon/split-events.ts'
import type { ObservedTransfer } from '../../shared/db/chain-facts/daemon/transfers.ts'
import type { ObservedEscrowMovement } from '../../shared/db/escrow/daemon/escrow-movements.ts'

/** Says of an observed transfer what its row says. */
export function rowOfTransfer(transfer: ObservedTransfer): ChainRow {
  const { sender, valueAtomic, refusal } = transfer
  return {
    ...identityOf(transfer),
    ...{ kind: '', party: sender, amountAtomic: valueAtomic, isAccepted: refusal === null },
  }
}

/** Says of an observed split event what its row says. */
export function rowOfSplitEvent(event: ObservedSplitEvent): ChainRow {
  const { kind, account, amountAtomic } = event
  return { ...identityOf(event), kind, party: account, amountAtomic, isAccepted: true }
}

/** Says of an observed escrow movement what its row says. */
export function rowOfMovement(movement: ObservedEscrowMovement): ChainRow {
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
