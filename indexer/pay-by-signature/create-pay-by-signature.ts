import type { IndexerConfig } from '../../shared/runtime/indexer-config.ts'
import type { Metrics } from '../../shared/runtime/metrics.ts'
import type { TrackingContext } from './authorization-context.ts'
import { createAuthorizationMetrics } from './authorization-metrics.ts'
import { type ChainPayBySignature, createChainPayBySignature } from './chain-pay-by-signature.ts'

type Deps = Pick<TrackingContext, 'sql' | 'clock' | 'log'> & {
  readonly config: Pick<IndexerConfig, 'authorizations' | 'deployments' | 'staleAfter'>
  readonly registry: Metrics
}

/**
 * Creates the loops that execute signed authorizations on the chains on which the feature is enabled (by default, on
 * none). Authorizations that were accepted earlier are tracked on every chain with a token that supports EIP-3009.
 */
export function createPayBySignature({ sql, config, clock, log, registry }: Deps): ChainPayBySignature {
  const { authorizations, deployments, staleAfter } = config
  // Registers the metrics even if the feature is disabled, because alerts query them.
  const metricsOf = createAuthorizationMetrics(registry)
  const chains = deployments
    .filter(({ tokens }) => tokens.some(({ authorization }) => authorization))
    .map((deployment) => {
      const metrics = metricsOf(deployment.chainId)
      const deps = { sql, staleAfter, clock, log, metrics }
      return createChainPayBySignature({ ...deps, deployment, config: authorizations })
    })
  return {
    loops: chains.flatMap(({ loops }) => loops),
    wake: () => {
      for (const { wake } of chains) wake()
    },
  }
}
