import { Counter } from 'prom-client'
import type { Metrics } from '../../shared/runtime/metrics.ts'
import type { ReconciliationMetrics } from './reconcile.ts'

/**
 * Registers what an operator watches of the reconciliation, by chain id; either one moving is worth a look. Both begin at
 * zero for these chains, or a rule would miss their first increase.
 */
export function createReconciliationMetrics(
  registry: Metrics,
  chainIds: readonly number[],
): ReconciliationMetrics {
  const shape = { labelNames: ['chain_id'], registers: [registry] }
  const found = new Counter({
    ...shape,
    name: 'reconciliation_found_total',
    help: 'Transfers and split events that the watcher had missed',
  })
  const unexplained = new Counter({
    ...shape,
    name: 'reconciliation_unexplained_total',
    help: 'Balances that our rows do not explain',
  })
  for (const chainId of chainIds)
    for (const counter of [found, unexplained]) counter.inc({ chain_id: chainId }, 0)
  return {
    countFound: (chainId, rows) => found.inc({ chain_id: chainId }, rows),
    countUnexplained: (chainId) => unexplained.inc({ chain_id: chainId }),
  }
}
