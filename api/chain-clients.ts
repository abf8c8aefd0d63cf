import { type ChainClient, createChainClient } from '../shared/chain/client.ts'
import type { NodeVerdict } from '../shared/chain/node-identity.ts'
import type { DeploymentConfig } from '../shared/runtime/networks-config.ts'

/** Answers the client that reads a chain, made when it is first asked for; `undefined` for a chain not configured. */
export type ClientOf = (chainId: number) => ChainClient | undefined

/**
 * Makes the clients by which this process reads the chains of its deployments; it makes no request yet.
 *
 * @param onVerdict - told which chain each node serves, whenever that was read
 */
export function createChainClients(
  deployments: readonly DeploymentConfig[],
  onVerdict?: (verdict: NodeVerdict) => void,
): ClientOf {
  const clients = new Map<number, ChainClient>()
  return (chainId) => {
    const known = clients.get(chainId)
    if (known !== undefined) return known
    const deployment = deployments.find((candidate) => candidate.chainId === chainId)
    if (deployment === undefined) return undefined
    const client = createChainClient(deployment, onVerdict)
    clients.set(chainId, client)
    return client
  }
}
