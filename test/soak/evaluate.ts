/** One look at a running service. Values by name, such as `API, resident MB`. */
export type Sample = {
  readonly atMs: number
  /** Charges made up to then. */
  readonly charges: number
  /** What must not grow with time. */
  readonly levels: Readonly<Record<string, number>>
  /** What grows with charges, and must not grow faster: bytes of tables. */
  readonly sizes: Readonly<Record<string, number>>
}

/** The bound of a level in the last third: so many times that of the middle third, and so much more. */
type Slack = { readonly factor: number; readonly more: number }

/**
 * A heap is collected when the engine pleases, and a process that was killed starts small; a connection more or less is
 * one that is just being renewed. A leak of a kilobyte a charge is above these after some thousands.
 */
const SLACK: Readonly<Record<string, Slack>> = {
  MB: { factor: 1.2, more: 40 },
  handles: { factor: 1.1, more: 12 },
  connections: { factor: 1, more: 4 },
}

/** Tables grow by pages, and are vacuumed when it is their turn. */
const SIZE_FACTOR = 1.5
const SIZE_SLACK_BYTES = 4 * 1024 * 1024

/** What was judged, in words, and what of it is not as it must be. */
export type Verdict = { readonly figures: readonly string[]; readonly failures: readonly string[] }

/**
 * Compares the last third of a run with the one before it; the first, in which everything warms up, is left out.
 *
 * A level is flat if the median of its last third is no more than its slack above that of the middle third. A table is flat
 * if a charge of the last third cost it at most half as much again as one of the middle third, and 4 MB for all.
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
    // Whatever is no number is no proof either.
    if (!(after <= before * factor + more))
      failures.push(`${words}, above ${round(before * factor + more)} (${factor} times and ${more})`)
  }
  for (const name of namesOf(last, 'sizes')) {
    const [before, after] = [growthOf(middle, name), growthOf(last, name)]
    const allowed = before.perCharge * after.charges * SIZE_FACTOR + SIZE_SLACK_BYTES
    const words = `${name}: ${round(before.perCharge)} bytes a charge in the middle third, ${round(after.perCharge)} in the last`
    if (after.bytes > allowed)
      failures.push(`${words}; it grew by ${after.bytes} bytes, above ${round(allowed)}`)
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

/** The median of the samples that have it: a process that was just killed has none. */
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
