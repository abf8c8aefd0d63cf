import { type Address, type Hex, numberToHex, stringToHex } from 'viem'

import { createToken, type DeployedToken, type DevnetWallet, type TestToken } from '../deploy.ts'

/** Number of storage slots to copy: more than our tokens use outside mappings (names, pauses, fees and owners). */
const PLAIN_SLOTS = 16

/** Storage slot of the name in OpenZeppelin's ERC20. The name is part of the EIP-712 domain that payers sign for. */
const NAME_SLOT = 3

/**
 * Installs our token at the address of the real token: its code, which contains the decimals, and its storage outside
 * mappings, so no account has a balance. `name` replaces the token's name unless it is `null`.
 */
export async function installToken(
  wallet: DevnetWallet,
  plan: TestToken & { readonly address: Address; readonly name: string | null },
): Promise<DeployedToken> {
  const { token, decimals, address } = plan
  const made = await createToken(wallet, plan)
  const bytecode = await wallet.getCode({ address: made })
  if (bytecode === undefined) throw new Error(`no code at ${made}`)
  await wallet.setCode({ address, bytecode })
  for (let index = 0; index < PLAIN_SLOTS; index += 1) {
    const value = await wallet.getStorageAt({ address: made, slot: numberToHex(index) })
    if (value !== undefined) await wallet.setStorageAt({ address, index, value })
  }
  if (plan.name !== null)
    await wallet.setStorageAt({ address, index: NAME_SLOT, value: shortString(plan.name) })
  return { token, address, decimals }
}

/** Encodes an ASCII text of at most 31 bytes as Solidity stores it: its bytes, and twice its length in byte 32. */
function shortString(text: string): Hex {
  const bytes = stringToHex(text, { size: 31 })
  return `${bytes}${(2 * text.length).toString(16).padStart(2, '0')}`
}
