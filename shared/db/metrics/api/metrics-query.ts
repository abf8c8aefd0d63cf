import type { Tenant } from '../../../domain/tenant.ts'
import type { DateField, GroupField, MetricsResource, NumberField } from './metrics-fields.ts'

/** Units of `date_trunc` for date buckets, in UTC. A week begins on Monday. */
export const GRANULARITIES = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const

export type Granularity = (typeof GRANULARITIES)[number]

export const AGGREGATIONS = [
  'count',
  'sum',
  'avg',
  'min',
  'max',
  'countDistinct',
  'p50',
  'p90',
  'p99',
] as const

export type Aggregation = (typeof AGGREGATIONS)[number]

export const FILTER_OPERATORS = ['eq', 'neq', 'in', 'gt', 'gte', 'lt', 'lte'] as const

export type FilterOperator = (typeof FILTER_OPERATORS)[number]

export type MetricsGroup =
  | {
      readonly type: 'date_bucket'
      readonly name: string
      readonly field: DateField
      readonly granularity: Granularity
    }
  | { readonly type: 'field'; readonly name: string; readonly field: GroupField }

export type Metric = {
  readonly alias: string
  readonly measure:
    | { readonly aggregation: 'count' }
    | { readonly aggregation: 'countDistinct'; readonly field: GroupField | NumberField }
    | {
        readonly aggregation: Exclude<Aggregation, 'count' | 'countDistinct'>
        readonly field: NumberField
      }
}

/**
 * A filter. A number in `values` is decimal text in units of 10^-`scale`; an address is in the form of
 * `formatStoredAddress`. Only `in` can have several values.
 */
export type MetricsFilter = {
  readonly field: GroupField | NumberField
  readonly operator: FilterOperator
  readonly values: readonly (string | boolean | null)[]
}

/** A query whose names were resolved to fields. Its SQL never comes from the caller. */
export type MetricsQuery = {
  readonly tenant: Tenant
  readonly resource: MetricsResource
  /** Includes `from` and excludes `to`. */
  readonly range: { readonly field: DateField; readonly from: Date; readonly to: Date }
  readonly groups: readonly MetricsGroup[]
  readonly metrics: readonly Metric[]
  readonly filters: readonly MetricsFilter[]
  /** Index of a group or a metric; `null` for the default order. */
  readonly orderBy: {
    readonly column: { readonly group: number } | { readonly metric: number }
    readonly direction: 'asc' | 'desc'
  } | null
  readonly limit: number
  /**
   * Whether buckets without rows are returned too. If so, there is exactly one date bucket, and it uses the same field
   * as the range.
   */
  readonly isFilled: boolean
}

/** Fractional digits to which averages are rounded: as many as an amount can have. */
export const AVERAGE_DIGITS = 18

/**
 * A result row. `g0`, `g1`, … are its groups, with a date bucket as text. `m0`, `m1`, … are its metrics as decimal
 * text, in the units that the field's `sql` returns.
 */
export type MetricsRow = Readonly<Record<string, string | boolean | null>>
