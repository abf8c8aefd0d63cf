import type { Sql } from '../../shared/db/connect.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { IndexerConfig } from '../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { Metrics } from '../../shared/runtime/metrics.ts'
import { createAuthorizationMetrics } from './authorization-metrics.ts'
import { type ChainAuthorizations, createChainAuthorizations } from './chain-authorizations.ts'

type Deps = {
  readonly sql: Sql
  readonly config: Pick<IndexerConfig, 'authorizations' | 'deployments'>
  readonly clock: Clock
  readonly log: Logger
  readonly registry: Metrics
}

/**
 * Makes what carries out what payers sign, on every chain that configuration names; by default on none. What was taken
 * before is followed on all.
 */
export function payBySignature({ sql, config, clock, log, registry }: Deps): ChainAuthorizations {
  const { authorizations, deployments } = config
  // Shown by every daemon, as alerts ask for them.
  const metricsOf = createAuthorizationMetrics(registry)
  const chains = deployments
    .filter(({ tokens }) => tokens.some(({ authorization }) => authorization))
    .map((deployment) => {
      const metrics = metricsOf(deployment.chainId)
      return createChainAuthorizations({ sql, deployment, config: authorizations, clock, log, metrics })
    })
  return {
    loops: chains.flatMap(({ loops }) => loops),
    wake: () => {
      for (const { wake } of chains) wake()
    },
  }
}
