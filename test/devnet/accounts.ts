import { type Address, type Hex, toHex } from 'viem'
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'

/** anvil's own mnemonic: it gives the first ten accounts 10,000 coins on every chain. Public: nothing here is secret. */
const ANVIL_MNEMONIC = 'test test test test test test test test test test test junk'

/** Who takes part in the devnet; the position is the account's index under anvil's mnemonic. */
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

/** An account that the caller may use; the JSON of `devnet.json`. */
export type DevnetAccount = { readonly address: Address; readonly privateKey: Hex }

/** Every account of the devnet by its part, the same on all chains. */
export const ACCOUNTS = Object.fromEntries(
  NAMES.map((name, addressIndex) => [name, deriveAccount(addressIndex)]),
) as Readonly<Record<(typeof NAMES)[number], DevnetAccount>>

/** Signs for one of them. */
export function toSigner({ privateKey }: DevnetAccount): PrivateKeyAccount {
  return privateKeyToAccount(privateKey)
}

/** Answers the account at an index under anvil's mnemonic; the first ten are the devnet's. */
export function deriveAccount(addressIndex: number): DevnetAccount {
  const account = mnemonicToAccount(ANVIL_MNEMONIC, { addressIndex })
  const { privateKey } = account.getHdKey()
  if (privateKey === null) throw new Error('a key derived from a mnemonic has a private half')
  return { address: account.address, privateKey: toHex(privateKey) }
}
