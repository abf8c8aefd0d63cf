import type { Metrics } from '../../shared/runtime/metrics.ts'

type Labels = Readonly<Record<string, string | number>>

/** The values of one scrape. */
export type Samples = {
  /** Returns the sum of the metric's values whose labels contain these, or `null` if there is none. */
  readonly sum: (name: string, labels?: Labels) => number | null
}

/** Reads the metrics of a process, as `/metrics` shows them. */
export async function readSamples(registry: Metrics): Promise<Samples> {
  const metrics = await registry.getMetricsAsJSON()
  const byName = new Map(metrics.map(({ name, values }) => [name, values]))
  return {
    sum: (name, labels = {}) => {
      const wanted = Object.entries(labels)
      const values = (byName.get(name) ?? []).filter((value) =>
        wanted.every(([label, expected]) => String(value.labels[label]) === String(expected)),
      )
      return values.length === 0 ? null : values.reduce((total, { value }) => total + value, 0)
    },
  }
}
