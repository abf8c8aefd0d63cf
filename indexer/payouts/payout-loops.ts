import type { Sql } from '../../shared/db/connect.ts'
import { listPayoutBacklog } from '../../shared/db/payouts/daemon/payout-backlog.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { IndexerConfig } from '../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { Metrics } from '../../shared/runtime/metrics.ts'
import type { Loop } from '../../shared/runtime/poll-loop.ts'
import { createPayoutMetrics } from '../relayer/payout-metrics.ts'
import type { ChainPayoutDeps } from './chain-payer.ts'
import { createChainPayoutLoops } from './chain-payout-loops.ts'
import { registerPayoutBacklogMetrics } from './payout-backlog-metrics.ts'

type Deps = Pick<ChainPayoutDeps, 'reportPayoutFailed'> & {
  readonly sql: Sql
  readonly config: Pick<IndexerConfig, 'deployments' | 'payouts' | 'relayerPrivateKey'>
  readonly clock: Clock
  readonly log: Logger
  readonly registry: Metrics
}

/**
 * Creates the loops that pay out, release held shares and process escrow orders. Without a key, returns an empty list
 * and leaves all payouts to keepers.
 */
export function createPayoutLoops({
  sql,
  config,
  clock,
  log,
  registry,
  reportPayoutFailed,
}: Deps): readonly Loop[] {
  const { relayerPrivateKey, payouts, deployments } = config
  const metricsOf = createPayoutMetrics(registry)
  const chainIds = deployments.map(({ chainId }) => chainId)
  registerPayoutBacklogMetrics(registry, { listBacklog: () => listPayoutBacklog(sql, chainIds) })
  if (relayerPrivateKey === null) return []
  return deployments.flatMap((deployment) =>
    createChainPayoutLoops({
      ...{ sql, deployment, relayerPrivateKey, payouts, clock, log, reportPayoutFailed },
      metrics: metricsOf(deployment.chainId),
    }),
  )
}
