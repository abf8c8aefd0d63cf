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
import type { AppError } from '../../shared/domain/errors.ts'
import { createFieldError } from '../http/field-error.ts'
import { requireTimestamp } from '../http/parse-timestamp.ts'
import type { Request } from '../http/route.ts'
import { parseFilter } from './parse-filter.ts'
import { isMoney } from './present.ts'
import type { MetricsQueryBody } from './schema.ts'

type Body = Static<typeof MetricsQueryBody>

const DAY_MS = 86_400_000

/** Maximum days of a query: `coarse` with buckets of at least a month, otherwise `fine`. */
const MAX_DAYS = { coarse: 3_660, fine: 366 }

const DEFAULT_LIMIT = 100

/**
 * Converts a valid body to a query in which every name is resolved.
 *
 * @throws {AppError} `validation_error` for the first invalid or unsupported field, in the order of the schema
 */
export function parseMetricsQuery({ key, body, sourceOf }: Request<unknown, Body>): MetricsQuery {
  const { resource, limit = DEFAULT_LIMIT } = body
  const range = readRange(body)
  const groups = readGroups(body)
  requireShortSpan(range, groups)
  const metrics = readMetrics(body, groups)
  const filters = (body.filters ?? []).map((filter, index) => {
    const param = `filters[${index}]`
    const field = getField(resource, filter.field, `${param}.field`)
    return parseFilter(filter, { param, field, sourceOf })
  })
  const orderBy = readOrder(body, { groups, metrics })
  const isFilled = readFill(body)
  return { tenant: key, resource, range, groups, metrics, filters, orderBy, limit, isFilled }
}

function readRange({ resource, dateRange }: Body): MetricsQuery['range'] {
  const field = getDateField(resource, dateRange.field, 'dateRange.field')
  const from = requireTimestamp(dateRange.from, 'dateRange.from')
  const to = requireTimestamp(dateRange.to, 'dateRange.to')
  if (to > from) return { field, from, to }
  throw createFieldError(
    'dateRange.to',
    `is ${dateRange.to}; it must be after dateRange.from, ${dateRange.from}`,
  )
}

function readGroups({ resource, groupBy = [] }: Body): readonly MetricsGroup[] {
  return groupBy.map((entry, index) => {
    const param = `groupBy[${index}]`
    const earlier = groupBy.slice(0, index)
    const same = earlier.findIndex(({ field }) => field === entry.field)
    if (same !== -1)
      throw createFieldError(`${param}.field`, `is ${entry.field}, which is already groupBy[${same}].field`)
    if (entry.type === 'date_bucket' && earlier.some(({ type }) => type === 'date_bucket')) {
      throw createFieldError(`${param}.type`, 'is a second date_bucket; at most one is allowed')
    }
    return readGroup(entry, { resource, param })
  })
}

function readGroup(
  { type, field: name, granularity }: NonNullable<Body['groupBy']>[number],
  { resource, param }: { resource: MetricsResource; param: string },
): MetricsGroup {
  if (type === 'date_bucket') {
    if (granularity === undefined)
      throw createFieldError(`${param}.granularity`, 'is required with a date_bucket')
    return { type, name, field: getDateField(resource, name, `${param}.field`), granularity }
  }
  if (granularity !== undefined)
    throw createFieldError(`${param}.granularity`, 'is allowed only with a date_bucket')
  const field = getField(resource, name, `${param}.field`)
  if (isGroupField(field)) return { type, name, field }
  throw createUnsupportedFieldError({ param: `${param}.field`, name, resource, isSupported: isGroupField })
}

function requireShortSpan({ from, to }: MetricsQuery['range'], groups: readonly MetricsGroup[]): void {
  const isCoarse = groups.some(
    (group) => group.type === 'date_bucket' && ['month', 'quarter', 'year'].includes(group.granularity),
  )
  const maxDays = isCoarse ? MAX_DAYS.coarse : MAX_DAYS.fine
  const days = (to.getTime() - from.getTime()) / DAY_MS
  if (days <= maxDays) return
  const hint = isCoarse ? '' : ` (${MAX_DAYS.coarse} with buckets of a month or more)`
  throw createFieldError('dateRange', `spans ${Math.ceil(days)} days, above the maximum ${maxDays}${hint}`)
}

/** Requires a unique name for every column of the response, including the columns of exact amounts. */
function readMetrics({ resource, metrics }: Body, groups: readonly MetricsGroup[]): readonly Metric[] {
  const used = new Set(['bucket', ...groups.map(({ name }) => name)])
  return metrics.map((entry, index) => {
    const param = `metrics[${index}]`
    const metric = readMetric(entry, { resource, param })
    const columns = listColumns(metric)
    const collision = columns.find((column) => used.has(column))
    if (collision !== undefined) {
      throw createFieldError(
        `${param}.alias`,
        `creates the column ${collision}, which ${collision === 'bucket' ? 'is reserved' : 'already exists'}; choose another alias`,
      )
    }
    for (const column of columns) used.add(column)
    return metric
  })
}

function readMetric(
  { aggregation, field: name, alias }: Body['metrics'][number],
  { resource, param }: { resource: MetricsResource; param: string },
): Metric {
  if (aggregation === 'count') {
    if (name !== undefined)
      throw createFieldError(`${param}.field`, 'is not allowed with count, which counts rows')
    return { alias: alias ?? 'count', measure: { aggregation } }
  }
  if (name === undefined) throw createFieldError(`${param}.field`, `is required with ${aggregation}`)
  const field = getField(resource, name, `${param}.field`)
  const named = { alias: alias ?? `${aggregation}_${name}` }
  if (aggregation === 'countDistinct' && field.kind !== 'date')
    return { ...named, measure: { aggregation, field } }
  if (aggregation !== 'countDistinct' && field.kind === 'number')
    return { ...named, measure: { aggregation, field } }
  throw createUnsupportedFieldError({
    param: `${param}.field`,
    name,
    resource,
    isSupported: aggregation === 'countDistinct' ? (one) => one.kind !== 'date' : isNumberField,
  })
}

function listColumns(metric: Metric): readonly string[] {
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
  const metric = metrics.findIndex((one) => listColumns(one).includes(key))
  if (metric >= 0) return { column: { metric }, direction }
  const columns = [...groups.map(({ name }) => name), ...metrics.flatMap(listColumns)]
  throw createFieldError(
    'orderBy.key',
    `is ${key}; it must be a column of the response: ${columns.join(', ')}`,
  )
}

function readFill({ fill = false, groupBy = [], dateRange }: Body): boolean {
  if (!fill || groupBy.some(({ type, field }) => type === 'date_bucket' && field === dateRange.field))
    return fill
  throw createFieldError('fill', `requires a date_bucket of dateRange.field, ${dateRange.field}`)
}

function getField(resource: MetricsResource, name: string, param: string): MetricsField {
  const { fields }: { fields: Readonly<Record<string, MetricsField>> } = METRICS_RESOURCES[resource]
  const field = fields[name]
  if (field !== undefined) return field
  throw createUnsupportedFieldError({ param, name, resource, isSupported: () => true })
}

function getDateField(resource: MetricsResource, name: string, param: string): DateField {
  const field = getField(resource, name, param)
  if (field.kind === 'date') return field
  throw createUnsupportedFieldError({ param, name, resource, isSupported: ({ kind }) => kind === 'date' })
}

function isGroupField(field: MetricsField): field is GroupField {
  return field.kind !== 'number' && field.kind !== 'date'
}

function isNumberField(field: MetricsField): field is NumberField {
  return field.kind === 'number'
}

function createUnsupportedFieldError(rejected: {
  readonly param: string
  readonly name: string
  readonly resource: MetricsResource
  readonly isSupported: (field: MetricsField) => boolean
}): AppError {
  const { param, name, resource, isSupported } = rejected
  const names = Object.entries(METRICS_RESOURCES[resource].fields).flatMap(([one, field]) =>
    isSupported(field) ? [one] : [],
  )
  return createFieldError(param, `is ${name}; for ${resource} it must be one of ${names.join(', ')}`)
}
