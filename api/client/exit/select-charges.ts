import type { Address, ChainFamilyName } from '../../../shared/domain/address.ts'
import type { ExitCharge } from './exit-charge.ts'

/** The merchant's payout addresses by chain family. */
export type PayoutAddresses = ReadonlyMap<ChainFamilyName, readonly Address[]>

/**
 * Selects the charges whose terms pay the merchant. The gas for any other charge would only benefit strangers.
 *
 * The same 20 bytes in a different chain family are a different account.
 */
export function selectCharges(
  all: readonly ExitCharge[],
  payouts: PayoutAddresses,
): { readonly charges: readonly ExitCharge[]; readonly skipped: readonly ExitCharge[] } {
  const isOurs = ({ family, split }: ExitCharge) =>
    split.recipients.some((recipient) => payouts.get(family)?.includes(recipient) === true)
  return { charges: all.filter(isOurs), skipped: all.filter((charge) => !isOurs(charge)) }
}
