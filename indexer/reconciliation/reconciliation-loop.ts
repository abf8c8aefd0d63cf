import { createChainLoop } from '../../shared/runtime/chain-loop.ts'
import type { Loop } from '../../shared/runtime/poll-loop.ts'
import { requireUnchangedTokens } from '../chain-feed/require-unchanged-tokens.ts'
import { type ConfiguredDeps, createCheckedChain } from '../corroboration/checked-chain.ts'
import { createChainReconciler, type ReconciliationDeps } from './reconcile-chain.ts'
import { getSweepSize } from './sweep-size.ts'

/**
 * Interval between turns. If the feed fails, a payment waits up to this long after it has reached confirmation depth.
 * Each turn costs a node about six requests, and on TRON two more per block.
 */
const INTERVAL_SECONDS = 30

/** Creates the loop that reconciles one chain. It does not depend on the chain's feed. */
export function createReconciliationLoop(
  deps: Omit<ConfiguredDeps<ReconciliationDeps>, 'intervalSeconds' | 'chargesPerTurn'>,
): Loop {
  const checked = createCheckedChain(deps.deployment, 'background')
  const { turn } = createChainReconciler({
    ...{ ...deps, ...checked, intervalSeconds: INTERVAL_SECONDS },
    chargesPerTurn: getSweepSize(deps.deployment, INTERVAL_SECONDS),
  })
  return createChainLoop(deps.deployment, {
    name: 'reconciliation',
    intervalMs: INTERVAL_SECONDS * 1000,
    maxBackoffMs: 2 * INTERVAL_SECONDS * 1000,
    turn: async () => {
      // If blocks were scanned for an outdated list of tokens, they would never be scanned for the new tokens.
      await requireUnchangedTokens(deps.sql, [deps.deployment])
      return turn()
    },
    log: deps.log,
  })
}
