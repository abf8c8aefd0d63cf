import { type ChainNodes, createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { ChainIdCheck } from '../../shared/chain/nodes/verify-chain-id.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'

/** Returns the nodes of a chain, created on first use; `undefined` for a chain that is not configured. */
export type FindChain = (chainId: number) => ChainNodes | undefined

/**
 * Creates the function that finds the nodes of a configured chain. Sends no request.
 *
 * @param onVerdict - called each time a node has returned its chain id
 */
export function createChains(
  deployments: readonly DeploymentConfig[],
  onVerdict?: (verdict: ChainIdCheck) => void,
): FindChain {
  const chains = new Map<number, ChainNodes>()
  return (chainId) => {
    const known = chains.get(chainId)
    if (known !== undefined) return known
    const deployment = deployments.find((candidate) => candidate.chainId === chainId)
    if (deployment === undefined) return undefined
    const chain = createChainNodes(deployment, { onVerdict })
    chains.set(chainId, chain)
    return chain
  }
}
