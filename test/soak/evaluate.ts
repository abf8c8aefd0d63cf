/** One sample of a running service, with values by name, such as `the API, resident MB`. */
export type Sample = {
  readonly atMs: number
  /** Number of charges created up to this sample. */
  readonly charges: number
  /** Values that must not grow over time. */
  readonly levels: Readonly<Record<string, number>>
  /** Sizes of tables in bytes, which grow with the charges but must not grow faster. */
  readonly sizes: Readonly<Record<string, number>>
}

/** Bound of a level in the last third of a run: the level of the middle third times `factor`, plus `more`. */
type Slack = { readonly factor: number; readonly more: number }

/**
 * Slack of the levels, by unit. Levels vary even without a leak, because garbage collections are irregular, killed
 * processes restart with a small heap, and the number of connections being renewed varies. A memory leak is detected if
 * it adds more than a fifth plus 40 MB from the middle third of a run to the last.
 */
const SLACK: Readonly<Record<string, Slack>> = {
  MB: { factor: 1.2, more: 40 },
  handles: { factor: 1.1, more: 12 },
  connections: { factor: 1, more: 4 },
}

/** Slack of the growth of tables, which grow in pages and are vacuumed at irregular times. */
const SIZE_FACTOR = 1.5
const SIZE_SLACK_BYTES = 4 * 1024 * 1024

/** The figures and failures as text. A failed table is only among the failures. */
export type Verdict = { readonly figures: readonly string[]; readonly failures: readonly string[] }

/**
 * Compares the last third of a run with the middle third. Ignores the first third, in which the service warms up.
 *
 * A level fails if its median exceeds the median of the middle third by more than its slack. A table fails if it grows
 * by more than 4 MB plus 1.5 times the growth that follows from its growth per charge in the middle third.
 */
export function judge(samples: readonly Sample[]): Verdict {
  const third = Math.floor(samples.length / 3)
  if (third < 2) return { figures: [], failures: [`${samples.length} samples are too few to compare`] }
  const middle = samples.slice(-2 * third, -third)
  const last = samples.slice(-third)
  const figures: string[] = []
  const failures: string[] = []
  for (const name of namesOf(last, 'levels')) {
    const [before, after] = [levelOf(middle, name), levelOf(last, name)]
    const { factor, more } = slackOf(name)
    const words = `${name}: ${round(before)} in the middle third, ${round(after)} in the last`
    figures.push(words)
    // Negated, so that NaN is a failure too.
    if (!(after <= before * factor + more))
      failures.push(
        `${words}, above ${round(before * factor + more)} (${factor} times the middle third, plus ${more})`,
      )
  }
  for (const name of namesOf(last, 'sizes')) {
    const [before, after] = [growthOf(middle, name), growthOf(last, name)]
    const allowed = before.perCharge * after.charges * SIZE_FACTOR + SIZE_SLACK_BYTES
    const words = `${name}: ${round(before.perCharge)} bytes per charge in the middle third, ${round(after.perCharge)} in the last`
    if (after.bytes > allowed)
      failures.push(`${words}; it grew by ${after.bytes} bytes, more than the allowed ${round(allowed)}`)
    else if (after.bytes > 0) figures.push(words)
  }
  return { figures, failures }
}

function namesOf(samples: readonly Sample[], kind: 'levels' | 'sizes'): readonly string[] {
  return [...new Set(samples.flatMap((sample) => Object.keys(sample[kind])))].toSorted()
}

function slackOf(name: string): Slack {
  const unit = Object.keys(SLACK).find((word) => name.endsWith(word))
  const slack = unit === undefined ? undefined : SLACK[unit]
  if (slack === undefined) throw new Error(`${name} has no bound`)
  return slack
}

/** Returns the median of a level over the samples that contain it. */
function levelOf(samples: readonly Sample[], name: string): number {
  const values = samples.flatMap(({ levels }) => levels[name] ?? []).toSorted((a, b) => a - b)
  return values[Math.floor(values.length / 2)] ?? 0
}

function growthOf(samples: readonly Sample[], name: string) {
  const [first, final] = [samples[0], samples.at(-1)]
  const charges = Math.max(1, (final?.charges ?? 0) - (first?.charges ?? 0))
  const bytes = (final?.sizes[name] ?? 0) - (first?.sizes[name] ?? 0)
  return { charges, bytes, perCharge: Math.max(0, bytes) / charges }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
