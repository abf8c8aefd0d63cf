import type { AddressFamily } from './address.ts'
import { FAMILIES } from './families/families.ts'
import type { Payment } from './families/family.ts'

/** What a wallet is asked to send, and on which kind of network. */
type PaymentInstruction = Payment & { readonly family: AddressFamily }

/**
 * Writes the URI that wallets read from a QR code.
 *
 * @see https://eips.ethereum.org/EIPS/eip-681; decisions 3.11
 */
export function paymentUri({ family, ...payment }: PaymentInstruction): string {
  return FAMILIES[family].paymentUri(payment)
}
