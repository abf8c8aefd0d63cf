import type { Static } from '@sinclair/typebox'
import {
  type DateField,
  type GroupField,
  METRICS_RESOURCES,
  type MetricsField,
  type MetricsResource,
  type NumberField,
} from '../../shared/db/metrics/api/metrics-fields.ts'
import type { Metric, MetricsGroup, MetricsQuery } from '../../shared/db/metrics/api/metrics-query.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Request } from '../route.ts'
import { parseTimestamp } from '../timestamp.ts'
import { isMoney } from './present.ts'
import { readFilter } from './read-filter.ts'
import type { MetricsQueryBody } from './schema.ts'

type Body = Static<typeof MetricsQueryBody>

const DAY_MS = 86_400_000

/** The longest span of a query (metrics-query.md), for buckets of a month and more and for all others. */
const MAX_DAYS = { coarse: 3_660, fine: 366 }

const DEFAULT_LIMIT = 100

/**
 * Reads a valid body into a query, every name in it resolved.
 *
 * @throws {AppError} `validation_error` for the first field, in the order of the contract, that this resource cannot do
 */
export function readMetricsQuery({ key, body, sourceOf }: Request<unknown, Body>): MetricsQuery {
  const { resource, limit = DEFAULT_LIMIT } = body
  const range = readRange(body)
  const groups = readGroups(body)
  refuseLongSpan(range, groups)
  const metrics = readMetrics(body, groups)
  const filters = (body.filters ?? []).map((filter, index) => {
    const param = `filters[${index}]`
    return readFilter(filter, { param, field: fieldOf(resource, filter.field, `${param}.field`), sourceOf })
  })
  const orderBy = readOrder(body, { groups, metrics })
  const isFilled = readFill(body)
  return { tenant: key, resource, range, groups, metrics, filters, orderBy, limit, isFilled }
}

function readRange({ resource, dateRange }: Body): MetricsQuery['range'] {
  const field = dateFieldOf(resource, dateRange.field, 'dateRange.field')
  const from = readMoment(dateRange.from, 'dateRange.from')
  const to = readMoment(dateRange.to, 'dateRange.to')
  if (to > from) return { field, from, to }
  throw refuse('dateRange.to', `is ${dateRange.to}; it must be after dateRange.from, ${dateRange.from}`)
}

function readMoment(text: string, param: string): Date {
  const moment = parseTimestamp(text)
  if (moment !== null) return moment
  throw refuse(
    param,
    `is ${JSON.stringify(text)}; it must be an ISO 8601 timestamp such as 2026-01-31T12:00:00Z`,
  )
}

function readGroups({ resource, groupBy = [] }: Body): readonly MetricsGroup[] {
  return groupBy.map((entry, index) => {
    const param = `groupBy[${index}]`
    const earlier = groupBy.slice(0, index)
    if (earlier.some(({ field }) => field === entry.field))
      throw refuse(`${param}.field`, `gives ${entry.field} twice`)
    if (entry.type === 'date_bucket' && earlier.some(({ type }) => type === 'date_bucket')) {
      throw refuse(`${param}.type`, 'is a second date_bucket; at most one is allowed')
    }
    return readGroup(entry, { resource, param })
  })
}

function readGroup(
  { type, field: name, granularity }: NonNullable<Body['groupBy']>[number],
  { resource, param }: { resource: MetricsResource; param: string },
): MetricsGroup {
  if (type === 'date_bucket') {
    if (granularity === undefined) throw refuse(`${param}.granularity`, 'is required with a date_bucket')
    return { type, name, field: dateFieldOf(resource, name, `${param}.field`), granularity }
  }
  if (granularity !== undefined) throw refuse(`${param}.granularity`, 'is for a date_bucket only')
  const field = fieldOf(resource, name, `${param}.field`)
  if (isGroupField(field)) return { type, name, field }
  throw refuseField({ param: `${param}.field`, name, resource, are: isGroupField })
}

function refuseLongSpan({ from, to }: MetricsQuery['range'], groups: readonly MetricsGroup[]): void {
  const isCoarse = groups.some(
    (group) => group.type === 'date_bucket' && ['month', 'quarter', 'year'].includes(group.granularity),
  )
  const maxDays = isCoarse ? MAX_DAYS.coarse : MAX_DAYS.fine
  const days = (to.getTime() - from.getTime()) / DAY_MS
  if (days <= maxDays) return
  const hint = isCoarse ? '' : ` (${MAX_DAYS.coarse} with buckets of a month or more)`
  throw refuse('dateRange', `spans ${Math.ceil(days)} days, above the maximum ${maxDays}${hint}`)
}

/** Reads the metrics; every column of the answer has a name of its own, those of exact amounts included. */
function readMetrics({ resource, metrics }: Body, groups: readonly MetricsGroup[]): readonly Metric[] {
  const taken = new Set(['bucket', ...groups.map(({ name }) => name)])
  return metrics.map((entry, index) => {
    const param = `metrics[${index}]`
    const metric = readMetric(entry, { resource, param })
    const columns = columnsOf(metric)
    const collision = columns.find((column) => taken.has(column))
    if (collision !== undefined) {
      throw refuse(
        `${param}.alias`,
        `makes the column ${collision}, which is ${collision === 'bucket' ? 'reserved' : 'there already'}; choose another alias`,
      )
    }
    for (const column of columns) taken.add(column)
    return metric
  })
}

function readMetric(
  { aggregation, field: name, alias }: Body['metrics'][number],
  { resource, param }: { resource: MetricsResource; param: string },
): Metric {
  if (aggregation === 'count') {
    if (name !== undefined) throw refuse(`${param}.field`, 'is not for count, which counts rows')
    return { alias: alias ?? 'count', measure: { aggregation } }
  }
  if (name === undefined) throw refuse(`${param}.field`, `is required with ${aggregation}`)
  const field = fieldOf(resource, name, `${param}.field`)
  const named = { alias: alias ?? `${aggregation}_${name}` }
  if (aggregation === 'countDistinct' && field.kind !== 'date')
    return { ...named, measure: { aggregation, field } }
  if (aggregation !== 'countDistinct' && field.kind === 'number')
    return { ...named, measure: { aggregation, field } }
  throw refuseField({
    param: `${param}.field`,
    name,
    resource,
    are: aggregation === 'countDistinct' ? (one) => one.kind !== 'date' : isNumberField,
  })
}

function columnsOf(metric: Metric): readonly string[] {
  return isMoney(metric) ? [metric.alias, `${metric.alias}Exact`] : [metric.alias]
}

function readOrder(
  { orderBy }: Body,
  { groups, metrics }: Pick<MetricsQuery, 'groups' | 'metrics'>,
): MetricsQuery['orderBy'] {
  if (orderBy === undefined) return null
  const { key, direction = 'asc' } = orderBy
  const group = groups.findIndex(({ name }) => name === key)
  if (group >= 0) return { column: { group }, direction }
  const metric = metrics.findIndex((one) => columnsOf(one).includes(key))
  if (metric >= 0) return { column: { metric }, direction }
  const columns = [...groups.map(({ name }) => name), ...metrics.flatMap(columnsOf)]
  throw refuse('orderBy.key', `is ${key}; it must be a column of the answer: ${columns.join(', ')}`)
}

function readFill({ fill = false, groupBy = [], dateRange }: Body): boolean {
  if (!fill || groupBy.some(({ type, field }) => type === 'date_bucket' && field === dateRange.field))
    return fill
  throw refuse('fill', `needs a date_bucket of dateRange.field, ${dateRange.field}`)
}

function fieldOf(resource: MetricsResource, name: string, param: string): MetricsField {
  const { fields }: { fields: Readonly<Record<string, MetricsField>> } = METRICS_RESOURCES[resource]
  const field = fields[name]
  if (field !== undefined) return field
  throw refuseField({ param, name, resource, are: () => true })
}

function dateFieldOf(resource: MetricsResource, name: string, param: string): DateField {
  const field = fieldOf(resource, name, param)
  if (field.kind === 'date') return field
  throw refuseField({ param, name, resource, are: ({ kind }) => kind === 'date' })
}

function isGroupField(field: MetricsField): field is GroupField {
  return field.kind !== 'number' && field.kind !== 'date'
}

function isNumberField(field: MetricsField): field is NumberField {
  return field.kind === 'number'
}

function refuseField(refused: {
  readonly param: string
  readonly name: string
  readonly resource: MetricsResource
  readonly are: (field: MetricsField) => boolean
}): AppError {
  const { param, name, resource, are } = refused
  const names = Object.entries(METRICS_RESOURCES[resource].fields).flatMap(([one, field]) =>
    are(field) ? [one] : [],
  )
  return refuse(param, `is ${name}; of ${resource} it must be one of ${names.join(', ')}`)
}

function refuse(param: string, reason: string): AppError {
  return new AppError('validation_error', `${param} ${reason}`, { param })
}
