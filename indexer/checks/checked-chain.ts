import { type ChainClient, createChainClient } from '../../shared/chain/client.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import type { WatchedDeployment } from '../chain-feed/observe.ts'
import { watchedDeployment } from '../chain-feed/watched-deployment.ts'
import { type ChainNode, createChainNodes } from '../transport/node-heads.ts'

/** One chain, and the nodes that are asked about it. */
export type CheckedChain = {
  readonly deployment: WatchedDeployment & { readonly confirmations: number; readonly blockTimeMs: number }
  readonly client: ChainClient
  /** One for each node, which are asked apart. */
  readonly nodes: readonly ChainNode[]
}

/** Makes what reads a configured chain; it makes no request yet. */
export function checkedChain(config: DeploymentConfig): CheckedChain {
  const { confirmations, blockTimeMs } = config
  return {
    deployment: { ...watchedDeployment(config), confirmations, blockTimeMs },
    client: createChainClient(config),
    nodes: createChainNodes(config),
  }
}
