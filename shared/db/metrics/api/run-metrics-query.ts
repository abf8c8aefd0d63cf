import type { Sql } from '../../connect.ts'
import { inReadOnly } from '../../transaction.ts'
import { METRICS_RESOURCES } from './metrics-fields.ts'
import {
  AVERAGE_DIGITS,
  type Metric,
  type MetricsFilter,
  type MetricsGroup,
  type MetricsQuery,
  type MetricsRow,
} from './metrics-query.ts'

/**
 * Runs a query in its own read-only transaction, in which a statement may take at most `timeoutMs`. Does not prepare
 * the statement, because the driver would keep an unlimited number of different texts for the lifetime of its
 * connection.
 *
 * @throws {Error} with SQLSTATE 57014 if the query took longer
 */
export async function runMetricsQuery(
  sql: Sql,
  query: MetricsQuery,
  { timeoutMs }: { readonly timeoutMs: number },
): Promise<readonly MetricsRow[]> {
  const { text, values } = compileMetricsQuery(query)
  return inReadOnly(sql, async (db) => {
    await db`select set_config('statement_timeout', ${String(timeoutMs)}, true)`
    return await db.unsafe<MetricsRow[]>(text, [...values])
  })
}

type Statement = { readonly text: string; readonly values: readonly (string | boolean | Date | number)[] }

/** Builds the statement. Values from the caller become parameters. */
function compileMetricsQuery(query: MetricsQuery): Statement {
  const values: (string | boolean | Date | number)[] = []
  const bind: Bind = (value, type) => `$${values.push(value)}::${type}`
  const table = query.isFilled ? 'filled' : 'found'
  const text = `
    with found as (${foundSql(query, bind)})${query.isFilled ? `, filled as (${filledSql(query, bind)})` : ''}
    select ${[...query.groups.map(shownGroup), ...query.metrics.map((_, index) => `f.m${index}::text`)].join(', ')}
    from ${table} f
    ${orderSql(query)}
    limit ${bind(query.limit, 'int')}`
  return { text, values }
}

type Bind = (value: string | boolean | Date | number, type: string) => string

/** Builds SQL for one row per group that occurs in the data; without groups, for one row. */
function foundSql({ tenant, resource, range, groups, metrics, filters }: MetricsQuery, bind: Bind): string {
  const { from, tenantOf, where } = METRICS_RESOURCES[resource]
  const columns = [
    ...groups.map((group, index) => `${groupSql(group)} as g${index}`),
    ...metrics.map((metric, index) => `${metricSql(metric)} as m${index}`),
  ]
  const conditions = [
    `${tenantOf}.organization_id = ${bind(tenant.organizationId, 'text')}`,
    `${tenantOf}.environment = ${bind(tenant.environment, 'text')}`,
    `${range.field.sql} >= ${bind(range.from, 'timestamptz')}`,
    `${range.field.sql} < ${bind(range.to, 'timestamptz')}`,
    where,
    ...filters.map((filter) => filterSql(filter, bind)),
  ]
  const grouping = groups.length === 0 ? '' : `group by ${groups.map((_, index) => index + 1).join(', ')}`
  return `select ${columns.join(', ')} from ${from} where ${conditions.join(' and ')} ${grouping}`
}

/** Builds SQL for every bucket of the range with every combination of the other groups that occurs in the data. */
function filledSql({ range, groups, metrics }: MetricsQuery, bind: Bind): string {
  const at = groups.findIndex(({ type }) => type === 'date_bucket')
  const bucket = groups[at]
  const unit = bucket?.type === 'date_bucket' ? bucket.granularity : 'day'
  const others = groups.flatMap((_, index) => (index === at ? [] : [`g${index}`]))
  const series = `generate_series(
    date_trunc('${unit}', ${bind(range.from, 'timestamptz')} at time zone 'UTC'),
    (${bind(range.to, 'timestamptz')} at time zone 'UTC') - interval '1 microsecond',
    interval '${unit === 'quarter' ? '3 months' : `1 ${unit}`}')`
  const columns = [
    ...groups.map((_, index) => (index === at ? 'b.bucket' : `o.g${index}`) + ` as g${index}`),
    ...metrics.map(
      (metric, index) => `${isNeverNull(metric) ? `coalesce(f.m${index}, 0)` : `f.m${index}`} as m${index}`,
    ),
  ]
  const same = others.map((name) => ` and f.${name} is not distinct from o.${name}`).join('')
  const combinations =
    others.length === 0 ? '' : `cross join (select distinct ${others.join(', ')} from found) o`
  return `select ${columns.join(', ')} from ${series} as b (bucket) ${combinations}
    left join found f on f.g${at} = b.bucket${same}`
}

function orderSql({ groups, orderBy }: MetricsQuery): string {
  const places = groups.map((group, index) => ({ group, index }))
  const byDefault = [
    ...places.filter(({ group }) => group.type === 'date_bucket'),
    ...places.filter(({ group }) => group.type === 'field'),
  ].map(({ group, index }) => `${sortable(group, index)} nulls last`)
  const first =
    orderBy === null ? [] : [`${orderedColumn(groups, orderBy.column)} ${orderBy.direction} nulls last`]
  const keys = [...first, ...byDefault]
  return keys.length === 0 ? '' : `order by ${keys.join(', ')}`
}

function orderedColumn(
  groups: readonly MetricsGroup[],
  column: { readonly group: number } | { readonly metric: number },
): string {
  if ('metric' in column) return `f.m${column.metric}`
  const group = groups[column.group]
  return group === undefined ? 'null' : sortable(group, column.group)
}

/** Sorts texts in byte order, which is the same on every server. */
function sortable({ field }: MetricsGroup, index: number): string {
  return field.kind === 'text' || field.kind === 'address' ? `f.g${index} collate "C"` : `f.g${index}`
}

function groupSql(group: MetricsGroup): string {
  return group.type === 'field'
    ? group.field.sql
    : `date_trunc('${group.granularity}', ${group.field.sql} at time zone 'UTC')`
}

function shownGroup(group: MetricsGroup, index: number): string {
  if (group.type === 'field') return `f.g${index}`
  const pattern = group.granularity === 'hour' ? 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"' : 'YYYY-MM-DD'
  return `to_char(f.g${index}, '${pattern}') as g${index}`
}

/**
 * Percentiles are values that occur in the data (`percentile_disc`), because `percentile_cont` interpolates in doubles.
 * An average is divided with spare digits before it is rounded, because PostgreSQL's division stops at 16 significant
 * digits.
 */
function metricSql({ measure }: Metric): string {
  if (measure.aggregation === 'count') return 'count(*)'
  const { aggregation, field } = measure
  switch (aggregation) {
    case 'countDistinct':
      return `count(distinct ${field.sql})`
    case 'sum':
      return `coalesce(sum(${field.sql}), 0)`
    case 'min':
    case 'max':
      return `${aggregation}(${field.sql})`
    case 'avg':
      return `round(sum(${field.sql}) * 1.${'0'.repeat(SPARE_DIGITS)} / count(${field.sql}), ${AVERAGE_DIGITS - field.scale})`
    case 'p50':
    case 'p90':
    case 'p99':
      return `percentile_disc(0.${aggregation.slice(1)}) within group (order by ${field.sql})`
  }
}

const SPARE_DIGITS = 30

/** Returns whether a metric is 0 instead of null if there are no rows. */
function isNeverNull({ measure: { aggregation } }: Metric): boolean {
  return aggregation === 'count' || aggregation === 'countDistinct' || aggregation === 'sum'
}

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

function filterSql({ field, operator, values }: MetricsFilter, bind: Bind): string {
  const [value = null] = values
  const type = { text: 'text', address: 'text', boolean: 'boolean', number: 'numeric' }[field.kind]
  switch (operator) {
    case 'eq':
      return value === null ? `${field.sql} is null` : `${field.sql} = ${bind(value, type)}`
    case 'neq':
      return value === null
        ? `${field.sql} is not null`
        : `${field.sql} is distinct from ${bind(value, type)}`
    case 'in':
      return `${field.sql} in (${values.flatMap((one) => (one === null ? [] : [bind(one, type)])).join(', ')})`
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return value === null ? 'false' : `${field.sql} ${COMPARISONS[operator]} ${bind(value, type)}`
  }
}
