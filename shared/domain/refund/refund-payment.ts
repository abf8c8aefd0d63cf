import type { Address, ChainFamilyName, Hex } from '../address.ts'
import { presentAddress } from '../chain-families/chain-families.ts'
import { encodeAbiWord } from '../create2.ts'
import type { AtomicUnits } from '../money.ts'
import { paymentUri } from '../payment-uri.ts'

/** The transfer that the merchant's wallet must send. */
export type RefundTransfer = {
  readonly chainId: number
  readonly tokenAddress: Address
  readonly decimals: number
  readonly destination: Address
  readonly amountAtomic: AtomicUnits
  readonly family: ChainFamilyName
}

/** The selector of `transfer(address,uint256)`. */
const TRANSFER_SELECTOR = 'a9059cbb'

/** Encodes the plain transfer of a token, `transfer(address,uint256)`. */
function encodeTransfer({ destination, amountAtomic }: TransferInput): Hex {
  return `0x${TRANSFER_SELECTOR}${encodeAbiWord(destination)}${amountAtomic.toString(16).padStart(64, '0')}`
}

type TransferInput = Pick<RefundTransfer, 'destination' | 'amountAtomic'>

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
