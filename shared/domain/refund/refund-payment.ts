import type { Address, ChainFamilyName } from '../address.ts'
import { presentAddress } from '../chain-families/chain-families.ts'
import type { AtomicUnits } from '../money.ts'
import { paymentUri } from '../payment-uri.ts'
import { encodeTransfer } from '../transfer-call.ts'

/** The transfer that the merchant's wallet must send. */
export type RefundTransfer = {
  readonly chainId: number
  readonly tokenAddress: Address
  readonly decimals: number
  readonly destination: Address
  readonly amountAtomic: AtomicUnits
  readonly family: ChainFamilyName
}

/** Presents the transfer as a transaction for a wallet, and as a payment URI. */
export function presentRefundPayment(transfer: RefundTransfer) {
  const { chainId, tokenAddress, decimals, destination, amountAtomic, family } = transfer
  return {
    chainId,
    to: presentAddress(tokenAddress, family),
    data: encodeTransfer(transfer),
    value: '0',
    uri: paymentUri({ chainId, tokenAddress, decimals, recipient: destination, amountAtomic, family }),
  }
}
