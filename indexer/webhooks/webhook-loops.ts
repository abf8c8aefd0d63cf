import {
  countPendingDeliveries,
  getOldestDueSeconds,
} from '../../shared/db/webhooks/daemon/delivery-backlog.ts'
import type { IndexerConfig } from '../../shared/runtime/indexer-config.ts'
import type { Metrics } from '../../shared/runtime/metrics.ts'
import { createLoop } from '../../shared/runtime/poll-loop.ts'
import { createResolver } from '../../shared/runtime/resolver.ts'
import { createTargetConnector } from './connect-target.ts'
import { createDecryptSecrets } from './decrypt-secrets.ts'
import { runDeliveryRetention } from './delete-old-deliveries.ts'
import { createDeliveryActor, type DeliveryActorDeps } from './delivery-actor.ts'
import { ATTEMPT_TIMEOUT_MS, createPostWebhook } from './post-webhook.ts'
import { processWebhookRequests } from './process-requests.ts'
import { createWebhookMetrics } from './webhook-metrics.ts'

type Deps = Pick<DeliveryActorDeps, 'sql' | 'clock' | 'log' | 'onEvents'> & {
  readonly config: Pick<IndexerConfig, 'webhooks' | 'allowedTargets' | 'dnsServers'>
  readonly registry: Metrics
}

/** Poll interval of a loop that is not woken. */
const POLL_MS = 1000

/** Interval at which old deliveries are deleted. An hour's delay does not matter for a retention of days. */
const PRUNE_INTERVAL_MS = 3_600_000

/** Creates the webhook loops, which attempt deliveries, process the API's requests, and delete old deliveries. */
export function createWebhookLoops(deps: Deps) {
  const { sql, config, clock, log, registry, onEvents } = deps
  const metrics = createWebhookMetrics(registry, {
    countPending: () => countPendingDeliveries(sql),
    oldestDueSeconds: () => getOldestDueSeconds(sql, clock()),
  })
  const connect = createTargetConnector({
    resolve: createResolver(config.dnsServers),
    allowed: config.allowedTargets,
    timeoutMs: ATTEMPT_TIMEOUT_MS,
  })
  const { post, close } = createPostWebhook(connect)
  const openSecrets = createDecryptSecrets(config.webhooks.sealPrivateKeys)
  const terms = config.webhooks
  const actor = createDeliveryActor({
    ...{ sql, clock, log, metrics, post, openSecrets, terms, onEvents },
    onFree: () => deliveries.wake(),
  })
  const deliveries = createLoop({ name: 'deliveries', intervalMs: POLL_MS, turn: actor.turn, log })
  const requests = createLoop({
    name: 'webhook requests',
    intervalMs: POLL_MS,
    turn: () => processWebhookRequests({ sql, clock, log, onDue: deliveries.wake }),
    log,
  })
  const { retentionDays } = config.webhooks
  const pruning = createLoop({
    name: 'webhook pruning',
    intervalMs: PRUNE_INTERVAL_MS,
    turn: () => runDeliveryRetention({ sql, clock, log, metrics, retentionDays }),
    log,
  })
  const loops = [deliveries, requests, pruning]
  return {
    name: 'webhooks',
    start: () => loops.forEach((loop) => loop.start()),
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
      await actor.settle()
      await close()
    },
    wake: deliveries.wake,
  }
}
