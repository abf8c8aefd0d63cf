import { Type } from '@sinclair/typebox'
import { METRICS_RESOURCES, type MetricsResource } from '../../shared/db/metrics/api/metrics-fields.ts'
import { AGGREGATIONS, FILTER_OPERATORS, GRANULARITIES } from '../../shared/db/metrics/api/metrics-query.ts'
import { EnvironmentName, strictObject, stringEnum } from '../http/schema.ts'

const RESOURCES = Object.keys(METRICS_RESOURCES) as MetricsResource[]

const ResourceName = stringEnum(RESOURCES, {
  title: 'MetricsResource',
  description: 'The rows to aggregate.',
})

/** A field of any resource. `parseMetricsQuery` checks whether the requested resource has it. */
const FieldName = stringEnum(
  [...new Set(RESOURCES.flatMap((name) => Object.keys(METRICS_RESOURCES[name].fields)))],
  {
    title: 'MetricsField',
    description: RESOURCES.map(
      (name) => `Fields of ${name}: ${Object.keys(METRICS_RESOURCES[name].fields).join(', ')}.`,
    ).join(' '),
  },
)

const ColumnName = Type.String({
  description: 'A column of the response.',
  pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
  maxLength: 64,
})

const TimestampInput = Type.String({ description: 'ISO 8601.', minLength: 1, maxLength: 40 })

const DateRange = strictObject(
  { field: FieldName, from: TimestampInput, to: TimestampInput },
  {
    title: 'MetricsDateRange',
    description:
      '`from` is inclusive, `to` is exclusive. At most 366 days, or 3660 days with buckets of a month, quarter or year.',
  },
)

const GroupBy = strictObject(
  {
    type: stringEnum(['date_bucket', 'field']),
    field: FieldName,
    granularity: Type.Optional(
      stringEnum(GRANULARITIES, {
        description: 'Required for a date_bucket. Buckets are in UTC, and weeks start on Monday.',
      }),
    ),
  },
  { title: 'MetricsGroupBy' },
)

const Metric = strictObject(
  {
    aggregation: stringEnum(AGGREGATIONS, {
      description:
        'Percentiles are values of the data, never interpolated. Averages are rounded to 18 fractional digits.',
    }),
    field: Type.Optional(FieldName),
    alias: Type.Optional(ColumnName),
  },
  {
    title: 'Metric',
    description:
      'Without an alias the column is named `count` or `<aggregation>_<field>`. For money there is also `<alias>Exact`.',
  },
)

type Value = string | number | boolean

const Filter = strictObject(
  {
    field: FieldName,
    operator: stringEnum(FILTER_OPERATORS),
    value: Type.Unsafe<Value | null | readonly Value[]>({
      description: 'An array with `in`, otherwise one value. Null is allowed only with `eq` and `neq`.',
      type: ['string', 'number', 'boolean', 'null', 'array'],
      maxLength: 255,
      items: { type: ['string', 'number', 'boolean'], maxLength: 255 },
      minItems: 1,
      maxItems: 50,
    }),
  },
  { title: 'MetricsFilter' },
)

const OrderBy = strictObject(
  { key: ColumnName, direction: Type.Optional(stringEnum(['asc', 'desc'], { default: 'asc' })) },
  { title: 'MetricsOrderBy' },
)

/** The body of `POST /v1/metrics/query`. */
export const MetricsQueryBody = strictObject(
  {
    resource: ResourceName,
    environment: Type.Optional(EnvironmentName),
    dateRange: DateRange,
    groupBy: Type.Optional(Type.Array(GroupBy, { maxItems: 3 })),
    metrics: Type.Array(Metric, { minItems: 1, maxItems: 10 }),
    filters: Type.Optional(Type.Array(Filter, { maxItems: 20 })),
    orderBy: Type.Optional(OrderBy),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
    fill: Type.Optional(
      Type.Boolean({ description: 'Whether to return buckets without rows, too.', default: false }),
    ),
  },
  {
    title: 'MetricsQuery',
    examples: [
      {
        resource: 'charges',
        dateRange: { field: 'createdAt', from: '2026-07-01T00:00:00Z', to: '2026-08-01T00:00:00Z' },
        groupBy: [{ type: 'date_bucket', field: 'createdAt', granularity: 'day' }],
        metrics: [{ aggregation: 'sum', field: 'amountReceived', alias: 'volume' }, { aggregation: 'count' }],
        filters: [{ field: 'status', operator: 'in', value: ['confirmed'] }],
      },
    ],
  },
)

const MetricsRow = Type.Unsafe<Readonly<Record<string, string | number | boolean | null>>>({
  title: 'MetricsRow',
  description: 'One value per group and metric, and the exact text of money as `<alias>Exact`.',
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
})

/** The response of `POST /v1/metrics/query`. */
export const MetricsResult = strictObject(
  {
    data: Type.Array(MetricsRow, { maxItems: 1000 }),
    meta: strictObject(
      {
        resource: ResourceName,
        environment: EnvironmentName,
        rowCount: Type.Integer({ minimum: 0, maximum: 1000 }),
        truncated: Type.Boolean({ description: 'Whether there were more rows than `limit`.' }),
      },
      { title: 'MetricsMeta' },
    ),
  },
  { title: 'MetricsAnswer' },
)
