import { ADDRESS_FAMILIES, type Address, type AddressFamily, type Hex } from '../address.ts'
import { EVM } from './evm/evm.ts'
import type { Families } from './family.ts'
import { TRON } from './tron/tron.ts'

/** The differences between the chain families. This is the only list of families. */
export const FAMILIES: Families = { evm: EVM, tron: TRON }

/** The family of the payout address that every key has. Addresses in other families are optional. */
export const KEY_FAMILY = 'evm' as const satisfies AddressFamily

/** Payout addresses of a key, for each family in which the key can create charges. */
export type PayoutAddresses = Readonly<
  Partial<Record<AddressFamily, Address>> & Record<typeof KEY_FAMILY, Address>
>

/** The optional payout addresses of a key. */
export type OtherPayoutAddresses = Omit<PayoutAddresses, typeof KEY_FAMILY>

/**
 * Returns the factory for the splits of a deployment: the family's own, or the configured one if the family has none.
 *
 * @returns `null` if none is configured, in which case the deployment accepts no charges
 */
export function splitFactoryOf(deployment: {
  readonly family: AddressFamily
  readonly splitFactory?: Address | undefined
}): Address | null {
  return FAMILIES[deployment.family].fixedFactory ?? deployment.splitFactory ?? null
}

/** Returns the family of an address in its users' notation, or `null` if the text is not an address. */
export function addressFamily(text: string): AddressFamily | null {
  return ADDRESS_FAMILIES.find((family) => FAMILIES[family].parseAddress(text) !== null) ?? null
}

/** Parses an address of any family, or returns `null`. */
export function parseAddress(text: string): Address | null {
  const family = addressFamily(text)
  return family && FAMILIES[family].parseAddress(text)
}

/** Formats an address in the notation of its family: checksummed 0x, or `T…`. */
export function presentAddress(address: Address, family: AddressFamily): string {
  return FAMILIES[family].presentAddress(address)
}

/** Formats a transaction hash in the notation of its family; returns `null` for `null`. */
export function presentTransactionHash(hash: Hex | null, family: AddressFamily): string | null {
  return hash && FAMILIES[family].presentTransactionHash(hash)
}
