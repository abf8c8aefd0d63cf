import type { Verdict } from '../../shared/chain/nodes/quorum.ts'
import { type Metrics, registerGaugeByChain, registerMetrics } from '../../shared/runtime/metrics.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import type { ComparisonMetrics } from './compare-old-charges.ts'

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
): ComparisonMetrics {
  const byChain = registerMetrics(registry, ['chain_id'], {
    reconciliation_recovered_total:
      'Rows that a quorum shows but that the feed missed or recorded with other content',
    reconciliation_mismatches_total: 'Balances that our rows do not explain',
    old_charge_differences_total:
      'Old charges whose balances differ from our rows, and searched ranges with logs that our rows lacked',
    old_charge_unread_ranges_total:
      'Searches of old charges that ended early, because no quorum of nodes serves the logs of older blocks',
  })
  const { node_disagreements_total: disagreements } = registerMetrics(
    registry,
    ['network', 'environment', 'node'],
    {
      node_disagreements_total:
        'Reports of a node that contradict a quorum or, without a quorum, other nodes',
    },
  )
  for (const { chainId, network, environment, nodes } of deployments) {
    for (const counter of Object.values(byChain)) counter.inc({ chain_id: chainId }, 0)
    for (const { name } of nodes) disagreements.inc({ network, environment, node: name }, 0)
  }
  const askAll = (count: (chainId: number) => Promise<number>) => async () =>
    new Map(
      await Promise.all(deployments.map(async ({ chainId }) => [chainId, await count(chainId)] as const)),
    )
  registerGaugeByChain(registry, 'uncorroborated_rows', {
    help: 'Rows that still wait for a quorum two minutes after reaching confirmation depth',
    ask: askAll(countUncorroborated),
  })
  registerGaugeByChain(registry, 'old_charges_overdue', {
    help: 'Old charges whose comparison with the chain has been due for over an hour; at most 10,000 are counted',
    ask: askAll(countOverdue),
  })
  return {
    countFound: (chainId, rows) => byChain.reconciliation_recovered_total.inc({ chain_id: chainId }, rows),
    countUnexplained: (chainId) => byChain.reconciliation_mismatches_total.inc({ chain_id: chainId }),
    countDifference: (chainId) => byChain.old_charge_differences_total.inc({ chain_id: chainId }),
    countUnread: (chainId) => byChain.old_charge_unread_ranges_total.inc({ chain_id: chainId }),
    noteVerdict: (chainId, verdict) => {
      const deployment = deployments.find((one) => one.chainId === chainId)
      if (deployment === undefined) return
      const { network, environment } = deployment
      for (const node of contradicting(verdict)) disagreements.inc({ network, environment, node })
    },
  }
}

/** Returns the nodes that contradict a quorum. If nodes contradict each other without a quorum, returns all of them. */
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
