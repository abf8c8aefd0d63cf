import { zeroAddress } from 'viem'
import type { CanonicalReceipt } from '../../shared/chain/nodes/receipts.ts'
import type { ObservedTransfer } from '../../shared/db/chain-facts/daemon/observed-rows.ts'
import type { CheckedCharge, PaymentSenders } from '../../shared/db/requests/check-requests.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { userOperationSenders } from '../../shared/domain/user-operations.ts'
import { decodeReceipt } from '../chain-feed/decode-receipt.ts'
import { observeTransfers, type WatchedDeployment } from '../chain-feed/observe.ts'

/** The sender in the log of a mint. */
const MINT = zeroAddress as Address

/**
 * Returns a transaction's payments to a charge, in the pairs that the charge accepts. Transfers from the charge's own
 * Safe or split are excluded.
 */
export function listPayments(
  receipt: CanonicalReceipt,
  deployment: WatchedDeployment,
  charge: CheckedCharge,
): readonly ObservedTransfer[] {
  const { transfers } = decodeReceipt(receipt)
  return observeTransfers(transfers, deployment, [charge]).filter(
    ({ rejectionReason }) => rejectionReason === null,
  )
}

/** Returns the senders of a transaction, of its payments except mints, and of the user operations that made them. */
export function listSenders(
  receipt: CanonicalReceipt,
  payments: readonly ObservedTransfer[],
): PaymentSenders {
  const senders = payments.map(({ party }) => party).filter((sender) => sender !== MINT)
  const logs = receipt.logs.map(({ address, topics, data, logIndex }) => ({
    address,
    topics: topics as readonly Hex[],
    data,
    logIndex: logIndex ?? 0,
  }))
  return {
    transactionSender: receipt.from,
    tokenSenders: [...new Set(senders)],
    userOperationSenders: userOperationSenders(
      logs,
      payments.map(({ logIndex }) => logIndex),
    ),
  }
}
