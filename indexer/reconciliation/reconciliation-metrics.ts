import { Counter } from 'prom-client'
import type { Verdict } from '../../shared/chain/nodes/quorum.ts'
import { type Metrics, registerGaugeByChain } from '../../shared/runtime/metrics.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import type { ComparisonMetrics } from './compare-old-charges.ts'
import type { ReconciliationMetrics } from './reconcile-chain.ts'

type Options = {
  readonly deployments: readonly Pick<DeploymentConfig, 'chainId' | 'network' | 'environment' | 'nodes'>[]
  readonly countUncorroborated: (chainId: number) => Promise<number>
  readonly countOverdue: (chainId: number) => Promise<number>
}

/**
 * Registers the metrics of corroboration and reconciliation. The counters start at zero for these chains and nodes;
 * otherwise an alert rule would miss their first increase.
 */
export function createReconciliationMetrics(
  registry: Metrics,
  { deployments, countUncorroborated, countOverdue }: Options,
): ReconciliationMetrics & ComparisonMetrics {
  const shape = { labelNames: ['chain_id'], registers: [registry] }
  const found = new Counter({
    ...shape,
    name: 'reconciliation_recovered_total',
    help: 'Rows that the feed missed, or that differ from the rows of a quorum',
  })
  const unexplained = new Counter({
    ...shape,
    name: 'reconciliation_mismatches_total',
    help: 'Balances that our rows do not explain',
  })
  const differences = new Counter({
    ...shape,
    name: 'old_charge_differences_total',
    help: 'Old charges whose balances or logs do not match our rows',
  })
  const unread = new Counter({
    ...shape,
    name: 'old_charge_unread_ranges_total',
    help: 'Searches of old charges that ended early, because no quorum of nodes serves the logs of older blocks',
  })
  const disagreements = new Counter({
    name: 'node_disagreements_total',
    help: 'Reports of a node that contradict a quorum, or other nodes where there is no quorum',
    labelNames: ['network', 'environment', 'node'],
    registers: [registry],
  })
  for (const { chainId, network, environment, nodes } of deployments) {
    for (const counter of [found, unexplained, differences, unread]) counter.inc({ chain_id: chainId }, 0)
    for (const { name } of nodes) disagreements.inc({ network, environment, node: name }, 0)
  }
  const askAll = (count: (chainId: number) => Promise<number>) => async () =>
    new Map(
      await Promise.all(deployments.map(async ({ chainId }) => [chainId, await count(chainId)] as const)),
    )
  registerGaugeByChain(registry, {
    name: 'uncorroborated_rows',
    help: 'Rows that wait for a quorum two minutes after their confirmation depth',
    ask: askAll(countUncorroborated),
  })
  registerGaugeByChain(registry, {
    name: 'old_charges_overdue',
    help: 'Old charges whose comparison with the chain has been due for an hour; at most 10,000 are counted',
    ask: askAll(countOverdue),
  })
  return {
    countFound: (chainId, rows) => found.inc({ chain_id: chainId }, rows),
    countUnexplained: (chainId) => unexplained.inc({ chain_id: chainId }),
    countDifference: (chainId) => differences.inc({ chain_id: chainId }),
    countUnread: (chainId) => unread.inc({ chain_id: chainId }),
    noteVerdict: (chainId, verdict) => {
      const deployment = deployments.find((one) => one.chainId === chainId)
      if (deployment === undefined) return
      const { network, environment } = deployment
      for (const node of contradicting(verdict)) disagreements.inc({ network, environment, node })
    },
  }
}

/** Returns the nodes that contradict a quorum or, without a quorum, all nodes that contradict each other. */
function contradicting(verdict: Verdict<unknown>): readonly string[] {
  switch (verdict.outcome) {
    case 'agreed':
      return verdict.denied.map(({ node }) => node)
    case 'disagreed':
      return verdict.reports.map(({ node }) => node)
    case 'waiting':
      return []
  }
}
