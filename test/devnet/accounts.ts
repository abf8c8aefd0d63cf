import { type Address, type Hex, toHex } from 'viem'
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'

/** anvil's default mnemonic, which is public. anvil gives its first ten accounts 10,000 native coins on every chain. */
const ANVIL_MNEMONIC = 'test test test test test test test test test test test junk'

/** Roles of the devnet's accounts. A role's position is the index of its account under anvil's mnemonic. */
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

/** An account in the JSON format of `devnet.json`. */
export type DevnetAccount = { readonly address: Address; readonly privateKey: Hex }

/** Every account of the devnet by its role. The accounts are the same on all chains. */
export const ACCOUNTS = Object.fromEntries(
  NAMES.map((name, addressIndex) => [name, deriveAccount(addressIndex)]),
) as Readonly<Record<(typeof NAMES)[number], DevnetAccount>>

export function toSigner({ privateKey }: DevnetAccount): PrivateKeyAccount {
  return privateKeyToAccount(privateKey)
}

/** Derives the account at an index from anvil's mnemonic. Only the first ten accounts have native coins. */
export function deriveAccount(addressIndex: number): DevnetAccount {
  const account = mnemonicToAccount(ANVIL_MNEMONIC, { addressIndex })
  const { privateKey } = account.getHdKey()
  if (privateKey === null) throw new Error("the key derived from anvil's mnemonic has no private key")
  return { address: account.address, privateKey: toHex(privateKey) }
}
