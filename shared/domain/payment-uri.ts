import type { AddressFamily } from './address.ts'
import { FAMILIES } from './families/families.ts'
import type { Payment } from './families/family.ts'

/** The payment that a wallet must send, and its chain family. */
type PaymentInstruction = Payment & { readonly family: AddressFamily }

/**
 * Returns the payment URI for a QR code.
 *
 * @see https://eips.ethereum.org/EIPS/eip-681; decisions 3.11
 */
export function paymentUri({ family, ...payment }: PaymentInstruction): string {
  return FAMILIES[family].paymentUri(payment)
}
