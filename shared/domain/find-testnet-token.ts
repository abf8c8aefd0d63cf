import { REGISTRY } from './network-registry.ts'
import type { Pair, PairContract } from './networks.ts'

/**
 * Returns the contract of a pair's token on the network's testnet, or `null` if the registry has none. Simulated
 * charges show this contract, although they are on no chain.
 */
export function findTestnetToken({ token, network }: Pair): PairContract | null {
  const { test } = REGISTRY[network]
  const facts = test?.tokens[token]
  if (!test || !facts) return null
  return { chainId: test.chainId, tokenAddress: facts.address, decimals: facts.decimals }
}
