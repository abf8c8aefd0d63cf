import { type ChainNodes, createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Priority } from '../../shared/chain/pacing/pacing.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import type { WatchedDeployment } from '../chain-feed/observe.ts'
import { buildWatchedDeployment } from '../chain-feed/watched-deployment.ts'
import { type ChainSources, createChainSources } from './chain-sources.ts'

/** A chain with which our rows are compared. */
export type CheckedChain = {
  readonly deployment: WatchedDeployment & { readonly confirmations: number; readonly blockTimeMs: number }
  readonly chain: ChainNodes
  readonly sources: ChainSources
}

/** A job's dependencies, with the chain's configuration in place of its nodes and readers. */
export type ConfiguredDeps<Deps> = Omit<Deps, keyof CheckedChain> & { readonly deployment: DeploymentConfig }

/** Creates the nodes and readers of a configured chain. Sends no request yet. */
export function createCheckedChain(
  config: DeploymentConfig,
  priority: Priority = 'confirmation',
): CheckedChain {
  const { confirmations, blockTimeMs, family } = config
  const chain = createChainNodes(config, { priority })
  return {
    deployment: { ...buildWatchedDeployment(config), confirmations, blockTimeMs },
    ...{ chain, sources: createChainSources(chain, family) },
  }
}
