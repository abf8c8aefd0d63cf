import type { ChainClient } from '../../shared/chain/client.ts'
import { hasReverted } from '../../shared/chain/node-errors.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { TokenConfig } from '../../shared/runtime/networks-config.ts'

/** A token whose contract tells other decimals than we were told. */
export type OtherDecimals = Pick<TokenConfig, 'token' | 'address' | 'decimals'> & { readonly onChain: number }

/** `decimals()`. */
const SELECTOR = '0x313ce567'

/**
 * Finds the enabled tokens whose contracts tell other decimals than the configuration, by which every credit would be
 * wrong by powers of ten.
 *
 * A contract that tells nothing leaves the configuration's word, for the function is optional.
 *
 * @returns `null` if no node answered
 * @see https://eips.ethereum.org/EIPS/eip-20#decimals
 */
export async function findOtherDecimals(
  client: ChainClient,
  tokens: readonly TokenConfig[],
): Promise<readonly OtherDecimals[] | null> {
  const offered = tokens.filter(({ enabled }) => enabled)
  try {
    const told = await Promise.all(offered.map(({ address }) => readDecimals(client, address)))
    return offered.flatMap(({ token, address, decimals }, index) => {
      const onChain = told[index] ?? decimals
      return onChain === decimals ? [] : [{ token, address, decimals, onChain }]
    })
  } catch {
    // Whatever went wrong, it was in asking: nothing was learnt about the tokens.
    return null
  }
}

/** Answers `null` if the contract tells nothing that is one word. */
async function readDecimals(client: ChainClient, address: Address): Promise<number | null> {
  try {
    const { data } = await client.call({ to: address, data: SELECTOR })
    return data?.length === 66 ? Number(data) : null
  } catch (error) {
    if (hasReverted(error)) return null
    throw error
  }
}
