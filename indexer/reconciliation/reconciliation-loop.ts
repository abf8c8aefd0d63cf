import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import { requireDescribedTokens } from '../chain-feed/require-described-tokens.ts'
import { watchedDeployment } from '../chain-feed/watched-deployment.ts'
import { createChainSources } from '../corroboration/chain-sources.ts'
import { createReconciliation, type ReconciliationDeps } from './reconcile.ts'

type Deps = Omit<ReconciliationDeps, 'deployment' | 'chain' | 'sources' | 'intervalSeconds'> & {
  readonly deployment: DeploymentConfig
}

/**
 * While Ponder works there is nothing to find; while it does not, a payment waits this long beyond its depth. It
 * costs a node some six requests each time, on TRON besides two for each block.
 */
const INTERVAL_SECONDS = 30

/** Makes the loop that reconciles one chain; it stands beside the chain's feed and needs nothing of it. */
export function createReconciliationLoop(deps: Deps): Loop {
  const { chainId, confirmations, blockTimeMs } = deps.deployment
  const chain = createChainNodes(deps.deployment)
  const { turn } = createReconciliation({
    ...{ ...deps, chain, sources: createChainSources(chain, deps.deployment.family) },
    deployment: { ...watchedDeployment(deps.deployment), confirmations, blockTimeMs },
    intervalSeconds: INTERVAL_SECONDS,
  })
  return createLoop({
    name: `reconciliation ${chainId}`,
    intervalMs: INTERVAL_SECONDS * 1000,
    maxBackoffMs: 2 * INTERVAL_SECONDS * 1000,
    turn: async () => {
      // Blocks that were scanned for an older list of tokens would never be scanned for the others.
      await requireDescribedTokens(deps.sql, [deps.deployment])
      return turn()
    },
    log: deps.log,
  })
}
