import { listPayoutBacklog } from '../../shared/db/payouts/daemon/payout-backlog.ts'
import type { IndexerConfig } from '../../shared/runtime/indexer-config.ts'
import type { Metrics } from '../../shared/runtime/metrics.ts'
import type { Loop } from '../../shared/runtime/poll-loop.ts'
import { createPayoutMetrics } from '../relayer/payout-metrics.ts'
import type { ChainPayoutDeps } from './chain-payer.ts'
import { createChainPayoutLoops } from './chain-payout-loops.ts'
import { registerPayoutBacklogMetrics } from './payout-backlog-metrics.ts'

type Deps = Pick<ChainPayoutDeps, 'sql' | 'clock' | 'log' | 'reportPayoutFailed'> & {
  readonly config: Pick<IndexerConfig, 'deployments' | 'payouts' | 'relayerPrivateKey'>
  readonly registry: Metrics
}

/**
 * Registers the metrics of payouts, and creates the loops that pay out, release held shares and process escrow orders.
 * Without a relayer key, returns no loops and leaves all payouts to keepers.
 */
export function createPayoutLoops({ config, registry, ...deps }: Deps): readonly Loop[] {
  const { relayerPrivateKey, payouts, deployments } = config
  const metricsOf = createPayoutMetrics(registry)
  const chainIds = deployments.map(({ chainId }) => chainId)
  registerPayoutBacklogMetrics(registry, { listBacklog: () => listPayoutBacklog(deps.sql, chainIds) })
  if (relayerPrivateKey === null) return []
  return deployments.flatMap((deployment) =>
    createChainPayoutLoops({
      ...{ ...deps, deployment, relayerPrivateKey, payouts },
      metrics: metricsOf(deployment.chainId),
    }),
  )
}
