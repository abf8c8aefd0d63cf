import type { PageTransfer } from '../../shared/db/chain-facts/page-transfers.ts'
import { presentTransactionHash } from '../../shared/domain/chain-families/chain-families.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { formatAtto } from '../../shared/domain/money.ts'
import type { Pair } from '../../shared/domain/networks.ts'
import { explorerLink } from './transaction-link.ts'

/** A transfer that the page shows. The amount is an exact decimal. */
export type ShownTransfer = Pair & {
  readonly amount: string
  readonly txHash: string
  /** Link to the transaction in an explorer; `null` if no explorer shows its chain. */
  readonly txUrl: string | null
  /** Time of the transfer's block; `null` if unknown. */
  readonly minedAt: string | null
  readonly blocksSeen: number
  readonly blocksRequired: number
  /** Expected time until the transfer is confirmed. */
  readonly secondsLeft: number
}

/** Presents a transfer without its sender: payers know their own address, and other visitors do not need it. */
export function presentTransfer(transfer: PageTransfer, charge: ChargeRecord): ShownTransfer {
  const { token, network, txHash, amountAtto, blockTimestamp, blocksRequired, blockTimeMs } = transfer
  const blocksSeen = Math.min(transfer.blocksSeen, blocksRequired)
  return {
    ...{ token, network, amount: formatAtto(amountAtto) },
    txHash: presentTransactionHash(txHash, charge.family) ?? txHash,
    txUrl: explorerLink(charge, transfer),
    minedAt: blockTimestamp === null ? null : new Date(blockTimestamp * 1000).toISOString(),
    ...{ blocksSeen, blocksRequired },
    secondsLeft: Math.ceil(((blocksRequired - blocksSeen) * blockTimeMs) / 1000),
  }
}
