import type { HeadAge } from '../../shared/db/chain-facts/daemon/head-ages.ts'
import { type Metrics, registerGaugeByChain, registerMetrics } from '../../shared/runtime/metrics.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'

type Source = {
  readonly deployments: readonly DeploymentConfig[]
  readonly listHeadAges: () => Promise<readonly HeadAge[]>
}

/**
 * Registers the metrics of each chain's head. Their values come from the database, so every daemon reports the same
 * values, even if the chain's owner has died.
 */
export function registerHeadMetrics(registry: Metrics, { deployments, listHeadAges }: Source): void {
  registerGaugeByChain(registry, 'feed_head_age_seconds', {
    help: 'Seconds since our highest head of the chain advanced',
    ask: async () =>
      new Map(
        (await listHeadAges()).flatMap(({ chainId, ageSeconds }) =>
          ageSeconds === null ? [] : [[chainId, ageSeconds] as const],
        ),
      ),
  })
  registerGaugeByChain(registry, 'feed_is_stale', {
    help: '1 while the API discourages payments on the chain: our head does not exist or does not advance, or no quorum of nodes has responded for two minutes',
    ask: async () =>
      new Map((await listHeadAges()).map(({ chainId, isStale }) => [chainId, isStale ? 1 : 0])),
  })
  registerGaugeByChain(registry, 'feed_is_asleep', {
    help: '1 while the network sleeps, because nothing on it must be watched: its head is read once a minute',
    ask: async () =>
      new Map((await listHeadAges()).map(({ chainId, isAsleep }) => [chainId, isAsleep ? 1 : 0])),
  })
  const { feed_confirmation_seconds: depth } = registerMetrics(registry, ['chain_id'], {
    feed_confirmation_seconds:
      'Time that the chain needs to reach the confirmation depth: confirmations times block time',
  })
  for (const { chainId, confirmations, blockTimeMs } of deployments)
    depth.set({ chain_id: chainId }, (confirmations * blockTimeMs) / 1000)
}
