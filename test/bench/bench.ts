import type { Network } from '../../shared/domain/networks.ts'
import type { Comparison, Measurement } from './compare.ts'

export type BenchOptions = {
  /** Duration of one measurement. */
  readonly seconds: number
  /** Number of measurements of each program. */
  readonly repetitions: number
  /** Number of existing charges; by default the bench's own number. */
  readonly rows?: number | undefined
  /** Fraction of the bench's own numbers of rows, requests, blocks and networks; 1 for a full run. */
  readonly size: number
  /** Networks for the benches of an idle installation; by default the fraction `size` of all networks. */
  readonly networks?: readonly Network[] | undefined
}

/** Runs a bench, and returns the lines of its table. */
export type Bench = (options: BenchOptions) => Promise<readonly (Comparison | Measurement)[]>

/** Shortest run, which only tests that a bench works. Its figures are meaningless. */
export const SHORT: BenchOptions = { seconds: 0.5, repetitions: 1, size: 0.001 }

/** Returns the fraction `size` of `count`, rounded up, so at least 1. */
export function resize(count: number, { size }: Pick<BenchOptions, 'size'>): number {
  return Math.ceil(count * size)
}
