import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** Where a process's counters and gauges are registered; `/metrics` shows it. */
export type Metrics = Registry

/** Makes the registry of a process, with Node's own measurements in it and `service` on every series. */
export function createMetrics(options: { readonly service: string }): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service: options.service })
  collectDefaultMetrics({ register: registry })
  return registry
}

/** Registers a gauge whose value is asked for whenever somebody looks at the metrics. */
export function registerAsked(
  registry: Metrics,
  { name, help, ask }: { name: string; help: string; ask: () => Promise<number> },
): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      this.set(await ask())
    },
  })
  registry.registerMetric(gauge)
}
