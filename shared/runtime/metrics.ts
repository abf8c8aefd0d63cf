import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { withTimeLimit } from './time-limit.ts'

/** The counters and gauges of a process, which `/metrics` serves. */
export type Metrics = Registry

/** Creates the registry of a process, with Node's own metrics and the label `service` on every series. */
export function createMetrics(options: { readonly service: string }): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service: options.service })
  collectDefaultMetrics({ register: registry })
  registry.registerMetric(
    new Counter({
      name: FAILED_READS_METRIC,
      help: 'Number of times that a gauge was omitted because its value could not be read',
      labelNames: ['gauge'],
      registers: [],
    }),
  )
  return registry
}

/** Registers the version of this build, which distinguishes processes during an upgrade. */
export function registerBuild(registry: Metrics, { version }: { readonly version: string }): void {
  const labels = { version, node: process.version }
  new Gauge({
    name: 'build_info',
    help: 'Always 1; the labels are the versions of this build and of Node',
    labelNames: Object.keys(labels),
    registers: [registry],
  }).set(labels, 1)
}

/**
 * Registers metrics that have the same labels: counters, whose names end in `_total`, and gauges.
 *
 * @param descriptions - the help text of each metric, by its name
 */
export function registerMetrics<Name extends string>(
  registry: Metrics,
  labelNames: readonly string[],
  descriptions: Readonly<Record<Name, string>>,
): { readonly [Key in Name]: Key extends `${string}_total` ? Counter : Gauge } {
  const create = (name: Name) => {
    const options = { name, help: descriptions[name], labelNames, registers: [registry] }
    return name.endsWith('_total') ? new Counter(options) : new Gauge(options)
  }
  const names = Object.keys(descriptions) as Name[]
  return Object.fromEntries(names.map((name) => [name, create(name)])) as ReturnType<
    typeof registerMetrics<Name>
  >
}

const FAILED_READS_METRIC = 'metrics_collect_errors_total'

/** Timeout for reading a gauge, far below the default scrape timeout of 10 s. */
const READ_TIMEOUT_MS = 3000

/**
 * Registers a gauge whose value is read at each scrape.
 *
 * If reading fails, or takes longer than 3 s, the gauge has no value in this scrape and the failure is counted. The
 * other metrics are still served, because they are needed most during a failure.
 */
export function registerGauge(
  registry: Metrics,
  name: string,
  { help, ask }: { help: string; ask: () => Promise<number> },
): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      const value = await readValue(registry, { name, ask })
      if (value === null) this.remove()
      else this.set(value)
    },
  })
  registry.registerMetric(gauge)
}

/** Registers a gauge like `registerGauge`, with one value per chain id in the result. */
export function registerGaugeByChain(
  registry: Metrics,
  name: string,
  { help, ask }: { help: string; ask: () => Promise<ReadonlyMap<number, number>> },
): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: ['chain_id'],
    registers: [],
    async collect() {
      const values = await readValue(registry, { name, ask })
      this.reset()
      for (const [chainId, value] of values ?? []) this.set({ chain_id: chainId }, value)
    },
  })
  registry.registerMetric(gauge)
}

/** Returns `null` and counts a failure if the value cannot be read in time. */
async function readValue<Value>(
  registry: Metrics,
  { name, ask }: { name: string; ask: () => Promise<Value> },
): Promise<Value | null> {
  const value = await withTimeLimit(
    ask().catch(() => null),
    { ms: READ_TIMEOUT_MS, late: null },
  )
  const failures = registry.getSingleMetric(FAILED_READS_METRIC)
  if (value === null && failures instanceof Counter) failures.inc({ gauge: name })
  return value
}
