import { configureNodes } from '../../shared/domain/node-config.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'

/** Configures a deployment's nodes by their URLs, with a quorum of 1 unless a test names another quorum. */
export function nodesAt(
  rpcUrls: readonly string[],
  quorum = 1,
): Pick<DeploymentConfig, 'rpcUrls' | 'nodes' | 'quorum'> {
  return { rpcUrls, nodes: configureNodes(rpcUrls), quorum }
}
