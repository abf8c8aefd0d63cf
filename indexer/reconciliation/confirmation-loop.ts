import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import { watchedDeployment } from '../chain-feed/watched-deployment.ts'
import { createChainNodes } from '../transport/node-heads.ts'
import { type ConfirmationDeps, createConfirmation } from './confirm-rows.ts'

type Deps = Omit<ConfirmationDeps, 'deployment' | 'nodes'> & { readonly deployment: DeploymentConfig }

/** A payment waits no longer than this beyond its depth; no node is asked while none does. */
const INTERVAL_MS = 1_000

/** Makes the loop that confirms one chain's rows by the other API of its nodes; any number of daemons may run it. */
export function createConfirmationLoop(deps: Deps): Loop {
  const { deployment } = deps
  const { turn } = createConfirmation({
    ...deps,
    deployment: watchedDeployment(deployment),
    nodes: createChainNodes(deployment),
  })
  return createLoop({
    name: `confirmation ${deployment.chainId}`,
    intervalMs: INTERVAL_MS,
    turn,
    log: deps.log,
  })
}
