import type { NodePacers } from '../../shared/chain/pacing/node-pacers.ts'
import { listHeadAges } from '../../shared/db/chain-facts/daemon/head-ages.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { systemClock } from '../../shared/runtime/clock.ts'
import type { IndexerConfig } from '../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { Metrics } from '../../shared/runtime/metrics.ts'
import { registerNodeBudgets } from '../../shared/runtime/node-budget-metrics.ts'
import { createNodeMonitor } from '../../shared/runtime/node-monitor.ts'
import { createChainFeed } from './chain-feed.ts'
import { createFeedMetrics } from './feed-metrics.ts'
import { registerHeadMetrics } from './head-metrics.ts'
import type { PonderMetrics } from './ponder-metrics.ts'
import { registerQuorums } from './register-quorums.ts'

type Deps = {
  readonly sql: Sql
  readonly config: IndexerConfig
  readonly log: Logger
  readonly registry: Metrics
  readonly pacers: NodePacers
  readonly ponderMetrics: PonderMetrics
  /** Called after changed rows or a new head of a chain were committed. */
  readonly onNews: () => void
}

/** Creates the feed of each configured chain, and registers the metrics of chains and nodes. */
export function createChainFeeds({ sql, config, log, registry, pacers, ponderMetrics, onNews }: Deps) {
  const { deployments, staleAfter } = config
  const chainIds = deployments.map(({ chainId }) => chainId)
  const metrics = createFeedMetrics(registry, chainIds)
  registerHeadMetrics(registry, {
    deployments,
    listHeadAges: () => listHeadAges(sql, { chainIds, staleAfter }),
  })
  registerQuorums({ log, registry }, deployments)
  registerNodeBudgets(registry, pacers.nodes)
  const onNodeVerdict = createNodeMonitor({ log, registry })
  return deployments.map((deployment) =>
    createChainFeed({
      ...{ sql, deployment, log, now: systemClock, metrics, pacers, ponderMetrics, onNews },
      databaseUrl: config.databaseUrl,
      ponderDatabaseUrl: config.ponderDatabaseUrl,
      maxHeapMb: config.ponderHeapMb,
      silentMs: config.silentNetworkMs,
      sleepAfterSeconds: config.sleepAfterSeconds,
      onNodeVerdict,
    }),
  )
}
