import { type Address, type Hex, toHex } from 'viem'
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'

/**
 * anvil's default mnemonic. anvil gives its first ten accounts 10,000 native coins on every chain. The mnemonic is
 * public, not a secret.
 */
const ANVIL_MNEMONIC = 'test test test test test test test test test test test junk'

/** Roles of the devnet's accounts. The position of a role is the account's index under anvil's mnemonic. */
const NAMES = [
  'deployer',
  'payer',
  'payer2',
  'merchant',
  'merchant2',
  'releaser',
  'keeper',
  'treasury',
  'relayer',
] as const

/** An account that the caller may use, in the JSON format of `devnet.json`. */
export type DevnetAccount = { readonly address: Address; readonly privateKey: Hex }

/** Every account of the devnet by its role. The accounts are the same on all chains. */
export const ACCOUNTS = Object.fromEntries(
  NAMES.map((name, addressIndex) => [name, deriveAccount(addressIndex)]),
) as Readonly<Record<(typeof NAMES)[number], DevnetAccount>>

/** Returns a signer for one of these accounts. */
export function toSigner({ privateKey }: DevnetAccount): PrivateKeyAccount {
  return privateKeyToAccount(privateKey)
}

/** Returns the account at an index under anvil's mnemonic. The first ten accounts belong to the devnet. */
export function deriveAccount(addressIndex: number): DevnetAccount {
  const account = mnemonicToAccount(ANVIL_MNEMONIC, { addressIndex })
  const { privateKey } = account.getHdKey()
  if (privateKey === null) throw new Error("the key derived from anvil's mnemonic has no private key")
  return { address: account.address, privateKey: toHex(privateKey) }
}
