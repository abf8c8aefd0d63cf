import { countUncorroborated } from '../../shared/db/chain-facts/daemon/uncorroborated.ts'
import { countExpiryBlockedCharges } from '../../shared/db/charges/daemon/expiry-overrides.ts'
import { countDeniedRows } from '../../shared/db/charges/daemon/strikes.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { systemClock } from '../../shared/runtime/clock.ts'
import type { IndexerConfig } from '../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { type Metrics, registerGauge } from '../../shared/runtime/metrics.ts'
import type { Loop } from '../../shared/runtime/poll-loop.ts'
import { createCorroborationLoop } from '../corroboration/corroboration-loop.ts'
import { createExpiryVerificationLoop } from './expiry-verification-loop.ts'
import { countOverdueCharges, createOldChargeLoop } from './old-charge-loop.ts'
import { createReconciliationLoop } from './reconciliation-loop.ts'
import { createReconciliationMetrics } from './reconciliation-metrics.ts'

type Deps = {
  readonly sql: Sql
  readonly config: Pick<IndexerConfig, 'deployments' | 'silentNetworkMs'>
  readonly log: Logger
  readonly registry: Metrics
  /** Called when charges may have new input: rows were recorded or agreed, or balances matched. */
  readonly onNews: () => void
}

/**
 * Registers the metrics of reconciliation. Creates the loops that check the rows reported by one node against a quorum,
 * find rows that the feeds miss (even while the feeds are down), read balances before a charge ends unpaid, and compare
 * old charges with their chains.
 *
 * @returns the loops, and `corroborate`, which wakes the loops that check new rows and heads of the feeds
 */
export function createReconciliationLoops({ sql, config, log, registry, onNews }: Deps): {
  readonly loops: readonly Loop[]
  readonly corroborate: () => void
} {
  const metrics = createReconciliationMetrics(registry, {
    deployments: config.deployments,
    countUncorroborated: (chainId) => countUncorroborated(sql, chainId),
    countOverdue: (chainId) => countOverdueCharges(sql, { chainId, now: systemClock() }),
  })
  const common = { sql, log, now: systemClock, metrics, onNews }
  const silentSeconds = config.silentNetworkMs / 1_000
  registerGauge(registry, 'charges_expiry_blocked', {
    help: 'Open charges that cannot expire because of an unexplained balance or a payment that only the feed shows',
    ask: () => countExpiryBlockedCharges(sql),
  })
  registerGauge(registry, 'counted_rows_denied', {
    help: 'Rows that count although a quorum denies them, until an operator strikes them',
    ask: () => countDeniedRows(sql),
  })
  const corroboration = config.deployments.map((deployment) =>
    createCorroborationLoop({ ...common, deployment }),
  )
  const others = config.deployments.flatMap((deployment) => [
    createReconciliationLoop({ ...common, deployment }),
    createExpiryVerificationLoop({ ...common, deployment, silentSeconds }),
    createOldChargeLoop({ ...common, deployment }),
  ])
  return {
    loops: [...corroboration, ...others],
    corroborate: () => {
      for (const loop of corroboration) loop.wake()
    },
  }
}
