import type { ChainFamilyName } from './address.ts'
import { CHAIN_FAMILIES } from './chain-families/chain-families.ts'
import type { Payment } from './chain-families/chain-family.ts'

type PaymentInstruction = Payment & { readonly family: ChainFamilyName }

/**
 * Returns the payment URI for a QR code.
 *
 * @see https://eips.ethereum.org/EIPS/eip-681; decisions 3.11
 */
export function paymentUri({ family, ...payment }: PaymentInstruction): string {
  return CHAIN_FAMILIES[family].paymentUri(payment)
}
