import { setTimeout as delay } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** Where a process's counters and gauges are registered; `/metrics` shows it. */
export type Metrics = Registry

/** Makes the registry of a process, with Node's own measurements in it and `service` on every series. */
export function createMetrics(options: { readonly service: string }): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service: options.service })
  collectDefaultMetrics({ register: registry })
  registry.registerMetric(
    new Counter({
      name: FAILED_ASKS,
      help: 'Times that the value of a gauge could not be asked for, which was left out then',
      labelNames: ['gauge'],
      registers: [],
    }),
  )
  return registry
}

const FAILED_ASKS = 'metrics_failed_asks_total'

/** Far below the 10 s that a scrape has by default. */
const ASK_TIMEOUT_MS = 3000

/**
 * Registers a gauge whose value is asked for whenever somebody looks at the metrics.
 *
 * Where that fails, or takes longer than 3 s, the gauge has no value this time and the failure is counted; all others
 * are shown, for it is then that they are needed.
 */
export function registerAsked(
  registry: Metrics,
  { name, help, ask }: { name: string; help: string; ask: () => Promise<number> },
): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      const value = await withinBound(ask)
      if (value !== null) return this.set(value)
      this.remove()
      const failures = registry.getSingleMetric(FAILED_ASKS)
      if (failures instanceof Counter) failures.inc({ gauge: name })
    },
  })
  registry.registerMetric(gauge)
}

async function withinBound(ask: () => Promise<number>): Promise<number | null> {
  const timer = new AbortController()
  const timeout = delay(ASK_TIMEOUT_MS, null, timer).catch(() => null)
  const asked = ask().catch(() => null)
  const value = await Promise.race([asked, timeout])
  timer.abort()
  return value
}
