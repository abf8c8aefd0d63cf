import { Counter, Gauge, Histogram } from 'prom-client'
import type { WebhookEventType } from '../../shared/domain/event.ts'
import { type Metrics, registerGauge } from '../../shared/runtime/metrics.ts'

const ATTEMPT_RESULTS = ['delivered', 'refused', 'unanswered', 'overtaken', 'broken'] as const

/** Result of an attempt: 2xx, another status, no response, lost lease, or a failure of our own. */
export type AttemptResult = (typeof ATTEMPT_RESULTS)[number]

/** Metrics of webhook delivery. */
export type WebhookMetrics = {
  readonly countAttempt: (result: AttemptResult, seconds: number) => void
  /** Counts an event about an endpoint, such as `webhook.endpoint_unhealthy`. */
  readonly countSignal: (type: WebhookEventType) => void
  readonly setInFlight: (count: number) => void
  readonly countPruned: (deliveries: number) => void
}

/** Values read on every scrape. */
type Backlog = {
  readonly countPending: () => Promise<number>
  readonly oldestDueSeconds: () => Promise<number>
}

/** Registers the metrics. Each scrape reads the backlog. */
export function createWebhookMetrics(registry: Metrics, backlog: Backlog): WebhookMetrics {
  const registers = [registry]
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Delivery attempts, by outcome',
    labelNames: ['result'],
    registers,
  })
  // Initialized to 0, because an alert rule would miss the first increase of an absent series.
  for (const result of ATTEMPT_RESULTS) attempts.inc({ result }, 0)
  const seconds = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Duration of an attempt, from its start until it is recorded',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 10],
    registers,
  })
  const signals = new Counter({
    name: 'webhook_health_events_total',
    help: 'Events about endpoints, by type',
    labelNames: ['type'],
    registers,
  })
  const inFlight = new Gauge({
    name: 'webhook_attempts_in_flight',
    help: 'Delivery attempts in flight',
    registers,
  })
  const pruned = new Counter({
    name: 'webhook_deliveries_deleted_total',
    help: 'Deliveries deleted after the retention time',
    registers,
  })
  registerGauge(registry, {
    name: 'webhook_deliveries_pending',
    help: 'Deliveries that await a successful attempt',
    ask: backlog.countPending,
  })
  registerGauge(registry, {
    name: 'webhook_oldest_due_seconds',
    help: 'Seconds since the oldest due delivery became due',
    ask: backlog.oldestDueSeconds,
  })
  return {
    countAttempt: (result, duration) => {
      attempts.inc({ result })
      seconds.observe(duration)
    },
    countSignal: (type) => signals.inc({ type }),
    setInFlight: (count) => inFlight.set(count),
    countPruned: (deliveries) => pruned.inc(deliveries),
  }
}
