import type { Metrics } from '../../shared/runtime/metrics.ts'

type Labels = Readonly<Record<string, string | number>>

export type Sample = { readonly labels: Labels; readonly value: number }

/** The values of a process's metrics at one time. */
export type Samples = {
  /** Lists the values of a metric whose labels include `labels`. */
  readonly list: (name: string, labels?: Labels) => readonly Sample[]
  /** Returns the sum of these values, or `null` if there are none. */
  readonly sum: (name: string, labels?: Labels) => number | null
}

/** Reads the metrics of a process, as `/metrics` shows them. */
export async function readSamples(registry: Metrics): Promise<Samples> {
  const metrics = await registry.getMetricsAsJSON()
  const byName = new Map(metrics.map(({ name, values }) => [name, values]))
  const list: Samples['list'] = (name, labels = {}) =>
    (byName.get(name) ?? [])
      .filter((value) =>
        Object.entries(labels).every(([label, expected]) => String(value.labels[label]) === String(expected)),
      )
      .map(({ labels: own, value }) => ({ labels: own as Labels, value }))
  return {
    list,
    sum: (name, labels) => {
      const values = list(name, labels)
      return values.length === 0 ? null : values.reduce((total, { value }) => total + value, 0)
    },
  }
}
