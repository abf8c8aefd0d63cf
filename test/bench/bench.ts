import type { Network } from '../../shared/domain/networks.ts'
import type { Comparison, Measurement } from './compare.ts'

/** How long and how large a bench is. */
export type BenchOptions = {
  /** Duration of one measurement of a rate. */
  readonly seconds: number
  /** Measurements of each program. */
  readonly repetitions: number
  /** Number of existing charges: to list, to query, or as background data. By default the bench's own number. */
  readonly rows?: number | undefined
  /** Fraction of the bench's own numbers of rows, requests, blocks and networks; 1 is the whole bench. */
  readonly size: number
  /** The networks of an installation at rest. By default all networks, or the fraction of them that `size` sets. */
  readonly networks?: readonly Network[] | undefined
}

/** Measures one subject, and returns the lines of its table. */
export type Bench = (options: BenchOptions) => Promise<readonly (Comparison | Measurement)[]>

/** A run that shows only that a bench works: the smallest numbers, each program once. Its figures mean nothing. */
export const SHORT: BenchOptions = { seconds: 0.5, repetitions: 1, size: 0.001 }

/** Returns the fraction `size` of one of the bench's own numbers, rounded up, so at least 1. */
export function resize(count: number, { size }: Pick<BenchOptions, 'size'>): number {
  return Math.ceil(count * size)
}
