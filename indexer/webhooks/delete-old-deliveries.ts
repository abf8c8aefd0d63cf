import { deleteOldDeliveries } from '../../shared/db/webhooks/daemon/deliveries.ts'
import { deleteOldAttempts } from '../../shared/db/webhooks/daemon/endpoint-health.ts'
import type { DeliveryActorDeps } from './delivery-actor.ts'
import type { WebhookMetrics } from './webhook-metrics.ts'

type Deps = Pick<DeliveryActorDeps, 'sql' | 'clock' | 'log'> & {
  readonly metrics: Pick<WebhookMetrics, 'countPruned'>
  readonly retentionDays: number
}

/** Maximum deliveries deleted per statement, which takes about 20 ms and blocks no other work. */
const BATCH = 1000

const DAY_MS = 86_400_000

/**
 * Retention of the attempt counts. The failure ratio covers 24 hours; two days leave a margin for differences between
 * clocks.
 */
const ATTEMPTS_KEPT_MS = 2 * DAY_MS

/**
 * Deletes one batch of finished deliveries older than the retention, and old attempt counts.
 *
 * Keeps pending deliveries, and all events, because the events of a charge are its history.
 */
export async function runDeliveryRetention(deps: Deps): Promise<'more' | 'idle'> {
  const { sql, clock, log, metrics, retentionDays } = deps
  const nowMs = clock().getTime()
  await deleteOldAttempts(sql, new Date(nowMs - ATTEMPTS_KEPT_MS))
  const before = new Date(nowMs - retentionDays * DAY_MS)
  const deleted = await deleteOldDeliveries(sql, { before, limit: BATCH })
  if (deleted > 0) {
    metrics.countPruned(deleted)
    log.info({ msg: 'Deleted old deliveries', deliveries: deleted, before })
  }
  return deleted === BATCH ? 'more' : 'idle'
}
