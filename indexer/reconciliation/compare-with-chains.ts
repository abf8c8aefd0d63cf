import { countHeldCharges } from '../../shared/db/charges/daemon/expiry-orders.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { FAMILIES } from '../../shared/domain/families/families.ts'
import { systemClock } from '../../shared/runtime/clock.ts'
import type { IndexerConfig } from '../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { type Metrics, registerAsked } from '../../shared/runtime/metrics.ts'
import type { Loop } from '../../shared/runtime/poll-loop.ts'
import { createConfirmationLoop } from './confirmation-loop.ts'
import { createEvidenceLoop } from './evidence-loop.ts'
import { createReconciliationLoop } from './reconciliation-loop.ts'
import { createReconciliationMetrics } from './reconciliation-metrics.ts'

type Deps = {
  readonly sql: Sql
  readonly config: Pick<IndexerConfig, 'deployments' | 'silentNetworkMs'>
  readonly log: Logger
  readonly registry: Metrics
  readonly chainIds: readonly number[]
  /** Called when rows were recorded, or may count from now on. */
  readonly onNews: () => void
}

/**
 * Makes the loops by which what the watchers miss is found, also while they are down, and no charge ends unpaid before its
 * balances were read from elsewhere than its feed.
 */
export function compareWithChains({ sql, config, log, registry, chainIds, onNews }: Deps): readonly Loop[] {
  const metrics = createReconciliationMetrics(registry, chainIds)
  const common = { sql, log, now: systemClock, metrics, onNews }
  const silentSeconds = config.silentNetworkMs / 1_000
  registerAsked(registry, {
    name: 'charges_held',
    help: 'Charges whose time is up, held open by a balance that nothing explains or what one API alone shows, until an operator ends them',
    ask: () => countHeldCharges(sql),
  })
  return config.deployments.flatMap((deployment) => [
    createReconciliationLoop({ ...common, deployment }),
    createEvidenceLoop({ ...common, deployment, silentSeconds }),
    ...(FAMILIES[deployment.family].isConfirmedApart
      ? [createConfirmationLoop({ ...common, deployment })]
      : []),
  ])
}
