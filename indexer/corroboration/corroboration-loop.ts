import { createChainLoop } from '../../shared/runtime/chain-loop.ts'
import type { Loop } from '../../shared/runtime/poll-loop.ts'
import { type ConfiguredDeps, createCheckedChain } from './checked-chain.ts'
import { type CorroborationDeps, createCorroboration } from './corroborate-rows.ts'

/**
 * Maximum delay before a payment at confirmation depth is checked, if no notification wakes the loop. While no row
 * waits, no node is queried.
 */
const INTERVAL_MS = 1_000

/** Creates the loop that corroborates one chain's rows. Any number of daemons may run it. */
export function createCorroborationLoop(deps: ConfiguredDeps<CorroborationDeps>): Loop {
  const { turn } = createCorroboration({ ...deps, ...createCheckedChain(deps.deployment) })
  return createChainLoop(deps.deployment, {
    ...{ name: 'corroboration', intervalMs: INTERVAL_MS, turn, log: deps.log },
  })
}
