import type { Static } from '@sinclair/typebox'
import {
  formatStoredAddress,
  type MetricsField,
  type NumberField,
} from '../../shared/db/metrics/api/metrics-fields.ts'
import type { MetricsFilter } from '../../shared/db/metrics/api/metrics-query.ts'
import { CHAIN_FAMILIES, findAddressFamily } from '../../shared/domain/chain-families/chain-families.ts'
import { formatDecimal, parseDecimal } from '../../shared/domain/decimal.ts'
import { createFieldError } from '../http/field-error.ts'
import { truncate } from '../http/format-validation-error.ts'
import type { JsonDocument } from '../http/parse-json.ts'
import type { MetricsQueryBody } from './schema.ts'

type Filter = NonNullable<Static<typeof MetricsQueryBody>['filters']>[number]

type FilterContext = {
  /** Path of the filter: `filters[2]`. */
  readonly param: string
  readonly field: MetricsField
  readonly sourceOf: JsonDocument['sourceOf']
}

const OPERATORS_FOR_WORDS: readonly string[] = ['eq', 'neq', 'in']

/**
 * Parses one filter, and converts its values to the stored form of the field.
 *
 * `neq` matches null fields, unlike in SQL, because most callers expect that. Numbers are parsed from their text,
 * because a double loses digits of an amount.
 *
 * @throws {AppError} `validation_error`
 */
export function parseFilter(filter: Filter, { param, field, sourceOf }: FilterContext): MetricsFilter {
  const { operator, value } = filter
  if (field.kind === 'date')
    throw createFieldError(`${param}.field`, `is ${filter.field}; dates are limited by dateRange`)
  if (field.kind !== 'number' && !OPERATORS_FOR_WORDS.includes(operator)) {
    throw createFieldError(
      `${param}.operator`,
      `is ${operator}; ${filter.field} supports only ${OPERATORS_FOR_WORDS.join(', ')}`,
    )
  }
  if (Array.isArray(value) !== (operator === 'in')) {
    throw createFieldError(
      `${param}.value`,
      operator === 'in' ? 'must be an array with in' : `must be one value with ${operator}`,
    )
  }
  if (value === null) {
    if (operator === 'eq' || operator === 'neq') return { field, operator, values: [null] }
    throw createFieldError(`${param}.value`, `is null, which ${operator} cannot compare; use eq or neq`)
  }
  const sources = splitNumbers(sourceOf(filter, 'value') ?? '')
  const values = [value].flat().map((one, index) => {
    const at = Array.isArray(value) ? `${param}.value[${index}]` : `${param}.value`
    return readValue(one, { field, param: at, source: sources[index] ?? '' })
  })
  return { field, operator, values }
}

/** Returns the source texts of a number or an array of numbers. A number contains no comma. */
function splitNumbers(source: string): readonly string[] {
  return source
    .replace(/^\[|\]$/g, '')
    .split(',')
    .map((text) => text.trim())
}

function readValue(
  value: string | number | boolean,
  at: { field: Exclude<MetricsField, { kind: 'date' }>; param: string; source: string },
): string | boolean {
  const { field, param, source } = at
  switch (field.kind) {
    case 'number':
      if (typeof value === 'number') return readNumber(source, { field, param })
      throw createFieldError(param, `is ${show(value)}; it must be a number`)
    case 'boolean':
      if (typeof value === 'boolean') return value
      throw createFieldError(param, `is ${show(value)}; it must be true or false`)
    case 'address': {
      const family = typeof value === 'string' ? findAddressFamily(value) : null
      const address = family && CHAIN_FAMILIES[family].parseAddress(String(value))
      if (family !== null && address !== null) return formatStoredAddress(address, family)
      throw createFieldError(param, `is ${show(value)}; it must be an address`)
    }
    case 'text':
      if (typeof value === 'string' && (field.words === null || field.words.includes(value))) return value
      throw createFieldError(
        param,
        `is ${show(value)}; it must be ${field.words === null ? 'a text' : `one of ${field.words.join(', ')}`}`,
      )
  }
}

/** Parses a number and converts it to the field's stored unit. */
function readNumber(source: string, { field, param }: { field: NumberField; param: string }): string {
  const decimal = parseDecimal(source)
  if (decimal === null)
    throw createFieldError(param, `is ${truncate(source)}; it must be a decimal number of at most 400 digits`)
  return formatDecimal(decimal.digits * 10n ** BigInt(field.scale), decimal.scale)
}

function show(value: unknown): string {
  return truncate(JSON.stringify(value))
}
