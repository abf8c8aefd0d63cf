import { collectDefaultMetrics, Registry } from 'prom-client'

/** Where a process's counters and gauges are registered; `/metrics` shows it. */
export type Metrics = Registry

/** Makes the registry of a process, with Node's own measurements in it and `service` on every series. */
export function createMetrics(options: { readonly service: string }): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service: options.service })
  collectDefaultMetrics({ register: registry })
  return registry
}
