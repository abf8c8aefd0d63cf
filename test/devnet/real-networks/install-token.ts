import { type Address, type Hex, numberToHex, stringToHex } from 'viem'

import { createToken, type DeployedToken, type DevnetWallet, type TestToken } from '../deploy.ts'

/** More than our tokens keep outside of mappings: names, pauses, fees, owners. */
const PLAIN_SLOTS = 16

/** Where a token of ours keeps its name, which payers sign with (OpenZeppelin's ERC20). */
const NAME_SLOT = 3

/**
 * Puts a token of ours at the address where the real one is: its code with its decimals, and what it keeps besides
 * balances, which are none yet; with another name, if one is given.
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

/** As Solidity stores a text of less than 32 bytes: twice its length in the last of them. */
function shortString(text: string): Hex {
  const bytes = stringToHex(text, { size: 31 })
  return `${bytes}${(2 * text.length).toString(16).padStart(2, '0')}`
}
