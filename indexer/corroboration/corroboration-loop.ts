import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import { buildWatchedDeployment } from '../chain-feed/watched-deployment.ts'
import { createChainSources } from './chain-sources.ts'
import { type CorroborationDeps, createCorroboration } from './corroborate-rows.ts'

type Deps = Omit<CorroborationDeps, 'deployment' | 'chain' | 'sources'> & {
  readonly deployment: DeploymentConfig
}

/**
 * Maximum delay of a payment beyond its depth if no notification wakes the loop. While no row waits, no node is
 * queried.
 */
const INTERVAL_MS = 1_000

/** Creates the loop that corroborates one chain's rows. Any number of daemons may run it. */
export function createCorroborationLoop(deps: Deps): Loop {
  const { deployment } = deps
  const { confirmations, blockTimeMs } = deployment
  const chain = createChainNodes(deployment)
  const { turn } = createCorroboration({
    ...{ ...deps, chain, sources: createChainSources(chain, deployment.family) },
    deployment: { ...buildWatchedDeployment(deployment), confirmations, blockTimeMs },
  })
  return createLoop({
    ...{ name: `corroboration ${deployment.chainId}`, intervalMs: INTERVAL_MS, log: deps.log },
    turn,
  })
}
