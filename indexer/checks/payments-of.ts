import { zeroAddress } from 'viem'
import type { CanonicalReceipt } from '../../shared/chain/receipts.ts'
import type { ObservedTransfer } from '../../shared/db/chain-facts/daemon/transfers.ts'
import type { CheckedCharge, PaymentSenders } from '../../shared/db/requests/check-requests.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { userOperationSenders } from '../../shared/domain/user-operations.ts'
import { decodeReceipt } from '../chain-feed/decode-receipt.ts'
import { observeTransfers, type WatchedDeployment } from '../chain-feed/observe.ts'

/** The `from` of what was minted. */
const MINT = zeroAddress as Address

/** Answers what a transaction paid a charge: on pairs it accepts, and not with its own money. */
export function paymentsOf(
  receipt: CanonicalReceipt,
  deployment: WatchedDeployment,
  charge: CheckedCharge,
): readonly ObservedTransfer[] {
  const { transfers } = decodeReceipt(receipt)
  return observeTransfers(transfers, deployment, [charge]).filter(({ refusal }) => refusal === null)
}

/** Says who made a transaction by which these payments came; what was minted came from nobody. */
export function sendersOf(receipt: CanonicalReceipt, payments: readonly ObservedTransfer[]): PaymentSenders {
  const senders = payments.map(({ sender }) => sender).filter((sender) => sender !== MINT)
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
