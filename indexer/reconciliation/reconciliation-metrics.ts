import { Counter } from 'prom-client'
import type { Metrics } from '../../shared/runtime/metrics.ts'
import type { ReconciliationMetrics } from './reconcile.ts'

/** Registers what an operator watches of the reconciliation, by chain id; either one moving is worth a look. */
export function createReconciliationMetrics(registry: Metrics): ReconciliationMetrics {
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
  return {
    countFound: (chainId, rows) => found.inc({ chain_id: chainId }, rows),
    countUnexplained: (chainId) => unexplained.inc({ chain_id: chainId }),
  }
}
