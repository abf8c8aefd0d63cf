import type { Tenant } from '../../../domain/tenant.ts'
import type { DateField, GroupField, MetricsResource, NumberField } from './metrics-fields.ts'

/** Widths of date buckets, in UTC, in PostgreSQL's terms. A week begins on Monday. */
export const GRANULARITIES = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const

export type Granularity = (typeof GRANULARITIES)[number]

/** The aggregations of a group's rows. */
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
 * A filter. In its values, a number is decimal text in the field's own units, and an address is lowercase. Only `in`
 * can have several values.
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

/** Maximum fractional digits of an average, as many as an amount can have. An average might have infinitely many. */
export const AVERAGE_DIGITS = 18

/**
 * A row of the result: `g0`, `g1`, … are its groups, with a bucket as text; `m0`, `m1`, … are its metrics as decimal
 * text, in the field's units.
 */
export type MetricsRow = Readonly<Record<string, string | boolean | null>>
