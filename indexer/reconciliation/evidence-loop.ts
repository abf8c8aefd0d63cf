import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import { watchedDeployment } from '../chain-feed/watched-deployment.ts'
import { createChainNodes } from '../transport/node-heads.ts'
import { createEvidenceGathering, type EvidenceDeps } from './gather-evidence.ts'

type Deps = Omit<EvidenceDeps, 'deployment' | 'nodes' | 'blockTimeMs'> & {
  readonly deployment: DeploymentConfig
}

/** A charge may end so long after its deadline is passed at depth; no node is asked while none is due. */
const INTERVAL_MS = 1_000

/** Makes the loop that gathers one chain's evidence that charges were not paid; any number of daemons may run it. */
export function createEvidenceLoop(deps: Deps): Loop {
  const { turn } = createEvidenceGathering({
    ...deps,
    deployment: watchedDeployment(deps.deployment),
    nodes: createChainNodes(deps.deployment),
    blockTimeMs: deps.deployment.blockTimeMs,
  })
  return createLoop({
    name: `evidence ${deps.deployment.chainId}`,
    intervalMs: INTERVAL_MS,
    turn,
    log: deps.log,
  })
}
