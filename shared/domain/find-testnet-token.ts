import { REGISTRY } from './network-registry.ts'
import type { Pair, PairContract } from './networks.ts'

/**
 * Returns the registry's contract of a pair's token on the network's testnet, or `null` if there is none.
 *
 * A simulated charge shows this contract, although no chain is queried for it.
 */
export function findTestnetToken({ token, network }: Pair): PairContract | null {
  const { test } = REGISTRY[network]
  const facts = test?.tokens[token]
  if (!test || !facts) return null
  return { chainId: test.chainId, tokenAddress: facts.address, decimals: facts.decimals }
}
