import { type Address, numberToHex } from 'viem'

import { createToken, type DeployedToken, type DevnetWallet, type TestToken } from '../deploy.ts'

/** More than our tokens keep outside of mappings: names, pauses, fees, owners. */
const PLAIN_SLOTS = 16

/**
 * Puts a token of ours at the address where the real one is: its code with its decimals, and what it keeps besides
 * balances, which are none yet.
 */
export async function placeToken(
  wallet: DevnetWallet,
  plan: TestToken & { readonly address: Address },
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
  return { token, address, decimals }
}
