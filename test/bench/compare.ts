/** What a benchmark found: our figure and the yardstick's, in the unit both were measured in. */
export type Comparison = {
  readonly name: string
  readonly unit: 'per second' | 'ms' | 'MB' | 'gas' | 'requests' | '% of a core'
  /** The ratio to reach: at least, of rates; at most, of times and costs; `null` if it is only to be known. */
  readonly aim: number | null
  /** The median of the ratios of the repetitions. */
  readonly ratio: number
  readonly ours: number
  readonly yardstick: number
}

/** A figure that stands for itself. */
export type Measurement = { readonly name: string; readonly unit: string; readonly value: number }

/** Tells whether the ratio is on the right side of its aim. */
export function isReached({ unit, ratio, aim }: Comparison): boolean {
  if (aim === null) return true
  return unit === 'per second' ? ratio >= aim : ratio <= aim
}

/**
 * Measures two things in turns and answers the median of the ratios of neighbours.
 *
 * In turns, because a shared machine is faster at one moment than at another, and with the order reversed every other
 * time, because what both leave behind makes each run a little slower than the one before. The first pair only warms up.
 */
export async function compare(options: {
  readonly name: string
  readonly aim: number | null
  readonly repetitions: number
  readonly ours: () => Promise<number>
  readonly yardstick: () => Promise<number>
}): Promise<Comparison> {
  const pairs: { ours: number; yardstick: number }[] = []
  for (let turn = 0; turn <= options.repetitions; turn += 1) {
    const pair = turn % 2 === 0 ? await measure(options) : await measureReversed(options)
    if (turn > 0) pairs.push(pair)
    process.stderr.write(`  ${options.name}: ${turn} of ${options.repetitions}\n`)
  }
  return {
    name: options.name,
    unit: 'per second',
    aim: options.aim,
    ratio: median(pairs.map(({ ours, yardstick }) => ours / yardstick)),
    ours: median(pairs.map(({ ours }) => ours)),
    yardstick: median(pairs.map(({ yardstick }) => yardstick)),
  }
}

type Pair = { readonly ours: () => Promise<number>; readonly yardstick: () => Promise<number> }

async function measure({ ours, yardstick }: Pair) {
  const first = await yardstick()
  return { yardstick: first, ours: await ours() }
}

async function measureReversed({ ours, yardstick }: Pair) {
  const first = await ours()
  return { ours: first, yardstick: await yardstick() }
}

/** Answers the middle of an odd number of values, of an even number the higher of the two in the middle. */
export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN
}
