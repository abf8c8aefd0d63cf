import { REGISTRY } from './network-registry.ts'
import type { Pair, PairContract } from './networks.ts'

/**
 * Answers where the registry has a pair's token on the network's testnet, or `null` where it has none.
 *
 * What a simulated charge shows for a contract; no chain is asked about it.
 */
export function testnetContract({ token, network }: Pair): PairContract | null {
  const { test } = REGISTRY[network]
  const facts = test?.tokens[token]
  if (!test || !facts) return null
  return { chainId: test.chainId, tokenAddress: facts.address, decimals: facts.decimals }
}
