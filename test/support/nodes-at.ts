import { configureNodes } from '../../shared/domain/node-config.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'

/** Returns the node settings of a deployment. */
export function nodesAt(
  rpcUrls: readonly string[],
  quorum = 1,
): Pick<DeploymentConfig, 'rpcUrls' | 'nodes' | 'quorum'> {
  return { rpcUrls, nodes: configureNodes(rpcUrls), quorum }
}
