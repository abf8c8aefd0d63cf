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

/** Registers which build this is: whoever compares two processes after an upgrade sees which is which. */
export function registerBuild(registry: Metrics, { version }: { readonly version: string }): void {
  const labels = { version, node: process.version }
  new Gauge({
    name: 'build_info',
    help: 'Always 1; the version of this build and of Node are its labels',
    labelNames: Object.keys(labels),
    registers: [registry],
  }).set(labels, 1)
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
      const value = await askFor(registry, { name, ask })
      if (value === null) this.remove()
      else this.set(value)
    },
  })
  registry.registerMetric(gauge)
}

/** The same with one value for each chain, by chain id. A chain that is not answered has none. */
export function registerAskedByChain(
  registry: Metrics,
  { name, help, ask }: { name: string; help: string; ask: () => Promise<ReadonlyMap<number, number>> },
): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: ['chain_id'],
    registers: [],
    async collect() {
      const values = await askFor(registry, { name, ask })
      this.reset()
      for (const [chainId, value] of values ?? []) this.set({ chain_id: chainId }, value)
    },
  })
  registry.registerMetric(gauge)
}

/** Answers what is asked for, or counts that it was not answered in time. */
async function askFor<Value>(
  registry: Metrics,
  { name, ask }: { name: string; ask: () => Promise<Value> },
): Promise<Value | null> {
  const value = await withinBound(ask)
  const failures = registry.getSingleMetric(FAILED_ASKS)
  if (value === null && failures instanceof Counter) failures.inc({ gauge: name })
  return value
}

async function withinBound<Value>(ask: () => Promise<Value>): Promise<Value | null> {
  const timer = new AbortController()
  const timeout = delay(ASK_TIMEOUT_MS, null, timer).catch(() => null)
  const asked = ask().catch(() => null)
  const value = await Promise.race([asked, timeout])
  timer.abort()
  return value
}
