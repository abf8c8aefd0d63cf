import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { createLoop } from '../../shared/runtime/poll-loop.ts'
import { createCheckedChain } from '../corroboration/checked-chain.ts'
import { type CheckWorkerDeps, createCheckWorker } from './check-worker.ts'

type Deps = Omit<CheckWorkerDeps, 'chains' | 'onFree'> & { readonly deployments: readonly DeploymentConfig[] }

/** Poll interval: a request whose notification is lost waits at most this long. */
const POLL_MS = 3_000

/** Creates the part of the daemon that checks charges on request, on every configured chain. */
export function createChargeChecks(deps: Deps) {
  const { log } = deps
  const chains = deps.deployments.map((deployment) => createCheckedChain(deployment))
  const worker = createCheckWorker({ ...deps, chains, onFree: () => loop.wake() })
  const loop = createLoop({ name: 'checks', intervalMs: POLL_MS, turn: worker.turn, log })
  return {
    name: 'checks',
    start: loop.start,
    stop: async () => {
      await loop.stop()
      await worker.settle()
    },
    wake: loop.wake,
  }
}
