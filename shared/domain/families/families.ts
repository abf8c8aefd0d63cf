import { ADDRESS_FAMILIES, type Address, type AddressFamily, type Hex } from '../address.ts'
import { EVM } from './evm/evm.ts'
import type { Families } from './family.ts'
import { TRON } from './tron/tron.ts'

/** What differs between the families of chains; the one place that knows which there are. */
export const FAMILIES: Families = { evm: EVM, tron: TRON }

/** The family of the payout address that every key has; those of others are optional. */
export const KEY_FAMILY = 'evm' as const satisfies AddressFamily

/** Whom a key's charges pay, in each family that it can make charges in. */
export type PayoutAddresses = Readonly<
  Partial<Record<AddressFamily, Address>> & Record<typeof KEY_FAMILY, Address>
>

/** Those that a key need not have. */
export type OtherPayoutAddresses = Omit<PayoutAddresses, typeof KEY_FAMILY>

/**
 * Answers the factory that makes the splits of a deployment's charges: the family's own, or the configured one where
 * the family has none.
 *
 * @returns `null` where none is configured: no charge can be made there
 */
export function splitFactoryOf(deployment: {
  readonly family: AddressFamily
  readonly splitFactory?: Address | undefined
}): Address | null {
  return FAMILIES[deployment.family].fixedFactory ?? deployment.splitFactory ?? null
}

/** Tells the family of an address as users write it, or `null` if it is an address of none. */
export function addressFamily(text: string): AddressFamily | null {
  return ADDRESS_FAMILIES.find((family) => FAMILIES[family].parseAddress(text) !== null) ?? null
}

/** Reads an address of any family, or answers `null`. */
export function parseAddress(text: string): Address | null {
  const family = addressFamily(text)
  return family && FAMILIES[family].parseAddress(text)
}

/** Writes an address the way users of its family do: checksummed 0x, or `T…`. */
export function presentAddress(address: Address, family: AddressFamily): string {
  return FAMILIES[family].presentAddress(address)
}

/** Writes the hash of a transaction the way users of its family do; nothing of none. */
export function presentTransactionHash(hash: Hex | null, family: AddressFamily): string | null {
  return hash && FAMILIES[family].presentTransactionHash(hash)
}
