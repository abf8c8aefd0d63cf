import { Counter } from 'prom-client'
import type { Verdict } from '../../shared/chain/nodes/quorum.ts'
import { type Metrics, registerAskedByChain } from '../../shared/runtime/metrics.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import type { ReconciliationMetrics } from './reconcile.ts'

type Options = {
  readonly deployments: readonly Pick<DeploymentConfig, 'chainId' | 'network' | 'environment' | 'nodes'>[]
  readonly countUncorroborated: (chainId: number) => Promise<number>
}

/**
 * Registers what an operator watches of corroboration and reconciliation. The counters start at zero for these chains and
 * nodes, or a rule would miss their first increase.
 */
export function createReconciliationMetrics(
  registry: Metrics,
  { deployments, countUncorroborated }: Options,
): ReconciliationMetrics {
  const shape = { labelNames: ['chain_id'], registers: [registry] }
  const found = new Counter({
    ...shape,
    name: 'reconciliation_found_total',
    help: 'Rows that the feed did not have, or had otherwise than a quorum shows them',
  })
  const unexplained = new Counter({
    ...shape,
    name: 'reconciliation_unexplained_total',
    help: 'Balances that our rows do not explain',
  })
  const disagreements = new Counter({
    name: 'node_disagreements_total',
    help: 'Reports of a node that contradict a quorum, or other nodes where there is no quorum',
    labelNames: ['network', 'environment', 'node'],
    registers: [registry],
  })
  for (const { chainId, network, environment, nodes } of deployments) {
    for (const counter of [found, unexplained]) counter.inc({ chain_id: chainId }, 0)
    for (const { name } of nodes) disagreements.inc({ network, environment, node: name }, 0)
  }
  registerAskedByChain(registry, {
    name: 'uncorroborated_rows',
    help: 'Rows that wait for a quorum two minutes after their confirmation depth',
    ask: async () =>
      new Map(
        await Promise.all(
          deployments.map(async ({ chainId }) => [chainId, await countUncorroborated(chainId)] as const),
        ),
      ),
  })
  return {
    countFound: (chainId, rows) => found.inc({ chain_id: chainId }, rows),
    countUnexplained: (chainId) => unexplained.inc({ chain_id: chainId }),
    noteVerdict: (chainId, verdict) => {
      const deployment = deployments.find((one) => one.chainId === chainId)
      if (deployment === undefined) return
      const { network, environment } = deployment
      for (const node of contradicting(verdict)) disagreements.inc({ network, environment, node })
    },
  }
}

/** The nodes that contradict a quorum; without one, all that contradict each other. */
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
