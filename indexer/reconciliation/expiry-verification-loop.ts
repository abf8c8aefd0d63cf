import { createChainLoop } from '../../shared/runtime/chain-loop.ts'
import type { Loop } from '../../shared/runtime/poll-loop.ts'
import { type ConfiguredDeps, createCheckedChain } from '../corroboration/checked-chain.ts'
import { createExpiryVerifier, type ExpiryVerifierDeps } from './verify-expiries.ts'

/** Poll interval. Polling delays the end of a charge by up to this time. While no charge is due, no node is queried. */
const INTERVAL_MS = 1_000

/**
 * Creates the loop that verifies, on one chain, that expiring charges were not paid. Any number of daemons may run it.
 */
export function createExpiryVerificationLoop(deps: ConfiguredDeps<ExpiryVerifierDeps>): Loop {
  const { turn } = createExpiryVerifier({ ...deps, ...createCheckedChain(deps.deployment) })
  return createChainLoop(deps.deployment, { name: 'evidence', intervalMs: INTERVAL_MS, turn, log: deps.log })
}
