import { type ChainNodes, createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { ChainIdCheck } from '../../shared/chain/nodes/verify-chain-id.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'

/** Returns the nodes of a chain, created on first use; `undefined` for a chain that is not configured. */
export type FindChain = (chainId: number) => ChainNodes | undefined

/**
 * Creates the access of this process to the chains of its deployments. It does not send a request yet.
 *
 * @param onVerdict - called with the result each time the chain id of a node was read
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
