import { showProgress } from './show-progress.ts'

/** Result of a benchmark: our figure and the yardstick's, in the same unit. */
export type Comparison = {
  readonly name: string
  readonly unit: 'per second' | 'ms' | 'MB' | 'gas' | 'requests' | '% of a core'
  /** The target ratio: a minimum for rates, a maximum for times and costs. `null` if the ratio is only informative. */
  readonly aim: number | null
  /** Our figure divided by the yardstick's. `compare` returns the median ratio of all repetitions. */
  readonly ratio: number
  readonly ours: number
  readonly yardstick: number
}

/** A figure without a yardstick. */
export type Measurement = { readonly name: string; readonly unit: string; readonly value: number }

export function isReached({ unit, ratio, aim }: Comparison): boolean {
  if (aim === null) return true
  return unit === 'per second' ? ratio >= aim : ratio <= aim
}

/**
 * Measures two programs in pairs, one directly after the other, and returns the median ratio of the pairs.
 *
 * The programs alternate because the speed of a shared machine varies. Their order is reversed in every other pair,
 * because leftover data makes each run slightly slower than the run before. With more than one repetition, an
 * additional first pair warms up the programs and does not count.
 */
export async function compare(options: {
  readonly name: string
  readonly aim: number | null
  readonly repetitions: number
  readonly ours: () => Promise<number>
  readonly yardstick: () => Promise<number>
}): Promise<Comparison> {
  const pairs: { ours: number; yardstick: number }[] = []
  const isWarmedUp = options.repetitions > 1
  for (let turn = isWarmedUp ? 0 : 1; turn <= options.repetitions; turn += 1) {
    const pair = turn % 2 === 0 ? await measure(options) : await measureReversed(options)
    if (turn > 0) pairs.push(pair)
    showProgress(`${options.name}: ${turn} of ${options.repetitions}`)
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

/** Returns the median; for an even number of values, the higher of the two middle values. */
export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN
}
