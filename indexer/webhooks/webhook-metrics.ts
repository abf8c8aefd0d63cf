import { Histogram } from 'prom-client'
import type { WebhookEventType } from '../../shared/domain/event.ts'
import { type Metrics, registerGauge, registerMetrics } from '../../shared/runtime/metrics.ts'

const ATTEMPT_RESULTS = ['delivered', 'refused', 'unanswered', 'overtaken', 'broken'] as const

/** Result of an attempt. In the order above: status 2xx, another status, no response, lost lease, our own failure. */
export type AttemptResult = (typeof ATTEMPT_RESULTS)[number]

export type WebhookMetrics = ReturnType<typeof createWebhookMetrics>

/** Values read on every scrape. */
type Backlog = {
  readonly countPending: () => Promise<number>
  readonly oldestDueSeconds: () => Promise<number>
}

export function createWebhookMetrics(registry: Metrics, backlog: Backlog) {
  const { webhook_attempts_total: attempts } = registerMetrics(registry, ['result'], {
    webhook_attempts_total: 'Delivery attempts, by result',
  })
  // These counters start at 0, because an alert rule would miss the first increase of a missing series.
  for (const result of ATTEMPT_RESULTS) attempts.inc({ result }, 0)
  const seconds = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Duration of an attempt, from its start until it is recorded',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 10],
    registers: [registry],
  })
  const { webhook_health_events_total: signals } = registerMetrics(registry, ['type'], {
    webhook_health_events_total: 'Events about endpoints, by type',
  })
  const unlabelled = registerMetrics(registry, [], {
    webhook_attempts_in_flight: 'Delivery attempts in flight',
    webhook_deliveries_deleted_total: 'Deliveries deleted after the retention time',
  })
  registerGauge(registry, 'webhook_deliveries_pending', {
    help: 'Deliveries that await a successful attempt',
    ask: backlog.countPending,
  })
  registerGauge(registry, 'webhook_oldest_due_seconds', {
    help: 'Seconds since the oldest due delivery became due',
    ask: backlog.oldestDueSeconds,
  })
  return {
    countAttempt: (result: AttemptResult, duration: number) => {
      attempts.inc({ result })
      seconds.observe(duration)
    },
    /** Counts an event about an endpoint, such as `webhook.endpoint_unhealthy`. */
    countSignal: (type: WebhookEventType) => signals.inc({ type }),
    setInFlight: (count: number) => unlabelled.webhook_attempts_in_flight.set(count),
    countPruned: (deliveries: number) => unlabelled.webhook_deliveries_deleted_total.inc(deliveries),
  }
}
