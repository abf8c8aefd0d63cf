import type { Tenant } from '../../../domain/tenant.ts'
import type { DateField, GroupField, MetricsResource, NumberField } from './metrics-fields.ts'

/** The widths of date buckets, in UTC; PostgreSQL's own words. A week begins on Monday. */
export const GRANULARITIES = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const

export type Granularity = (typeof GRANULARITIES)[number]

/** What is computed of the rows of a group. */
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

/** A number is the decimal text of the field's own units, an address is lowercase; only `in` has not one value. */
export type MetricsFilter = {
  readonly field: GroupField | NumberField
  readonly operator: FilterOperator
  readonly values: readonly (string | boolean | null)[]
}

/** A query whose names have become fields: nothing of its SQL is a caller's. */
export type MetricsQuery = {
  readonly tenant: Tenant
  readonly resource: MetricsResource
  /** From `from` on, before `to`. */
  readonly range: { readonly field: DateField; readonly from: Date; readonly to: Date }
  readonly groups: readonly MetricsGroup[]
  readonly metrics: readonly Metric[]
  readonly filters: readonly MetricsFilter[]
  /** The place of a group or a metric; `null` for the default order. */
  readonly orderBy: {
    readonly column: { readonly group: number } | { readonly metric: number }
    readonly direction: 'asc' | 'desc'
  } | null
  readonly limit: number
  /** Buckets without rows are answered too; the one bucket is of the range's own field. */
  readonly isFilled: boolean
}

/** Fractional digits of an average, which may have no end: as many as an amount can have. */
export const AVERAGE_DIGITS = 18

/** A row: `g0`, `g1`, … its groups, a bucket as text; `m0`, `m1`, … its metrics as decimal text, in the field's units. */
export type MetricsRow = Readonly<Record<string, string | boolean | null>>
