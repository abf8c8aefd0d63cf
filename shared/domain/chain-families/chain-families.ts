import { type Address, CHAIN_FAMILY_NAMES, type ChainFamilyName, type Hex } from '../address.ts'
import type { ChainFamilies } from './chain-family.ts'
import { EVM } from './evm/evm.ts'
import { TRON } from './tron/tron.ts'

/**
 * The differences between the chain families, one row for each of `CHAIN_FAMILY_NAMES` (`address.ts`).
 *
 * A new family needs a row here, its name in `address.ts`, SQL checks, reading and sending in `shared/chain`, and a feed
 * in `indexer/chain-feed`. CONTRIBUTING.md ("Add a family of chains") lists all steps.
 */
export const CHAIN_FAMILIES: ChainFamilies = { evm: EVM, tron: TRON }

/** The family of the payout address that every key must have. Addresses in other families are optional. */
export const PRIMARY_FAMILY = 'evm' as const satisfies ChainFamilyName

/** Payout addresses of a key, one for each family in which the key can create charges. */
export type PayoutAddresses = Readonly<
  Partial<Record<ChainFamilyName, Address>> & Record<typeof PRIMARY_FAMILY, Address>
>

/** The optional payout addresses of a key. */
export type OtherPayoutAddresses = Omit<PayoutAddresses, typeof PRIMARY_FAMILY>

/**
 * Returns the factory for the splits of a deployment: the family's fixed factory, or the configured factory if the
 * family has none.
 *
 * @returns the factory; `null` if none is configured, in which case the deployment accepts no charges
 */
export function getSplitFactory(deployment: {
  readonly family: ChainFamilyName
  readonly splitFactory?: Address | undefined
}): Address | null {
  return CHAIN_FAMILIES[deployment.family].fixedFactory ?? deployment.splitFactory ?? null
}

/** Returns the family whose address format the text has; `null` if the text is not an address. */
export function findAddressFamily(text: string): ChainFamilyName | null {
  return CHAIN_FAMILY_NAMES.find((family) => CHAIN_FAMILIES[family].parseAddress(text) !== null) ?? null
}

/** Parses an address of any family, or returns `null`. */
export function parseAddress(text: string): Address | null {
  const family = findAddressFamily(text)
  return family && CHAIN_FAMILIES[family].parseAddress(text)
}

/** Formats an address as the users of its family write it: checksummed 0x, or `T…`. */
export function presentAddress(address: Address, family: ChainFamilyName): string {
  return CHAIN_FAMILIES[family].presentAddress(address)
}

/** Formats a transaction hash as the users of its family write it; `null` for `null`. */
export function presentTransactionHash(hash: Hex | null, family: ChainFamilyName): string | null {
  return hash && CHAIN_FAMILIES[family].presentTransactionHash(hash)
}
