import type { Address, ChainFamilyName } from '../../../shared/domain/address.ts'
import type { ExitCharge } from './exit-charge.ts'

/** The merchant's payout addresses by chain family. */
export type PayoutAddresses = ReadonlyMap<ChainFamilyName, readonly Address[]>

/**
 * Selects the charges whose terms pay the merchant. Gas for any other charge would only benefit strangers.
 *
 * The same 20 bytes are a different account in each chain family.
 */
export function selectCharges(
  all: readonly ExitCharge[],
  payouts: PayoutAddresses,
): { readonly charges: readonly ExitCharge[]; readonly skipped: readonly ExitCharge[] } {
  const isOurs = ({ family, split }: ExitCharge) =>
    split.recipients.some((recipient) => payouts.get(family)?.includes(recipient) === true)
  return { charges: all.filter(isOurs), skipped: all.filter((charge) => !isOurs(charge)) }
}
