import { type Address, type AddressFamily, presentAddress } from './address.ts'
import { formatDecimal } from './decimal.ts'
import type { AtomicUnits } from './money.ts'

/** What a wallet is asked to send. */
export type PaymentInstruction = {
  readonly family: AddressFamily
  readonly chainId: number
  readonly tokenAddress: Address
  readonly decimals: number
  readonly recipient: Address
  readonly amountAtomic: AtomicUnits
}

/**
 * Writes the URI that wallets read from a QR code.
 *
 * On EVM networks it is EIP-681's, with the amount as a plain integer, which more parsers read than an exponent. TRON
 * has no standard: what is written is the form most wallets know, the token named besides.
 *
 * @see https://eips.ethereum.org/EIPS/eip-681; decisions 3.11
 */
export function paymentUri(instruction: PaymentInstruction): string {
  const { family, chainId, decimals, amountAtomic } = instruction
  const token = presentAddress(instruction.tokenAddress, family)
  const recipient = presentAddress(instruction.recipient, family)
  switch (family) {
    case 'evm':
      return `ethereum:${token}@${chainId}/transfer?address=${recipient}&uint256=${amountAtomic}`
    case 'tron':
      return `tron:${recipient}?amount=${formatDecimal(amountAtomic, decimals)}&token=${token}`
  }
}
