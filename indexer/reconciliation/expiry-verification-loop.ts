import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import { buildWatchedDeployment } from '../chain-feed/watched-deployment.ts'
import { createChainSources } from '../corroboration/chain-sources.ts'
import { createExpiryVerifier, type ExpiryVerifierDeps } from './verify-expiries.ts'

type Deps = Omit<ExpiryVerifierDeps, 'deployment' | 'chain' | 'sources' | 'blockTimeMs' | 'confirmations'> & {
  readonly deployment: DeploymentConfig
}

/**
 * Maximum delay of a charge's end after its deadline has passed at depth. No node is queried while no deadline is due.
 */
const INTERVAL_MS = 1_000

/** Creates the loop that verifies on one chain that charges were not paid. Any number of daemons may run it. */
export function createExpiryVerificationLoop(deps: Deps): Loop {
  const chain = createChainNodes(deps.deployment)
  const { blockTimeMs, confirmations, family } = deps.deployment
  const { turn } = createExpiryVerifier({
    ...{ ...deps, blockTimeMs, confirmations, chain, sources: createChainSources(chain, family) },
    deployment: buildWatchedDeployment(deps.deployment),
  })
  return createLoop({
    name: `evidence ${deps.deployment.chainId}`,
    intervalMs: INTERVAL_MS,
    turn,
    log: deps.log,
  })
}
