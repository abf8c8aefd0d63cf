import { type ChainNodes, createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import type { WatchedDeployment } from '../chain-feed/observe.ts'
import { buildWatchedDeployment } from '../chain-feed/watched-deployment.ts'
import { type ChainSources, createChainSources } from '../corroboration/chain-sources.ts'

/** A chain with its nodes. */
export type CheckTarget = {
  readonly deployment: WatchedDeployment & { readonly confirmations: number; readonly blockTimeMs: number }
  readonly chain: ChainNodes
  readonly sources: ChainSources
}

/** Creates the readers of a configured chain, without sending a request yet. */
export function createCheckTarget(config: DeploymentConfig): CheckTarget {
  const { confirmations, blockTimeMs, family } = config
  const chain = createChainNodes(config)
  return {
    deployment: { ...buildWatchedDeployment(config), confirmations, blockTimeMs },
    ...{ chain, sources: createChainSources(chain, family) },
  }
}
