import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import { type ConfiguredDeps, createCheckedChain } from '../corroboration/checked-chain.ts'
import { createExpiryVerifier, type ExpiryVerifierDeps } from './verify-expiries.ts'

/**
 * Maximum delay of a charge's end after its deadline has passed at confirmation depth. No node is queried while no
 * deadline is due.
 */
const INTERVAL_MS = 1_000

/** Creates the loop that verifies on one chain that charges were not paid. Any number of daemons may run it. */
export function createExpiryVerificationLoop(deps: ConfiguredDeps<ExpiryVerifierDeps>): Loop {
  const { turn } = createExpiryVerifier({ ...deps, ...createCheckedChain(deps.deployment) })
  const name = `evidence ${deps.deployment.chainId}`
  return createLoop({ name, intervalMs: INTERVAL_MS, turn, log: deps.log })
}
