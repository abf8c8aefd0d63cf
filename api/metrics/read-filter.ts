import type { Static } from '@sinclair/typebox'
import {
  type MetricsField,
  type NumberField,
  storedAddress,
} from '../../shared/db/metrics/api/metrics-fields.ts'
import type { MetricsFilter } from '../../shared/db/metrics/api/metrics-query.ts'
import { formatDecimal, parseDecimal } from '../../shared/domain/decimal.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { addressFamily, FAMILIES } from '../../shared/domain/families/families.ts'
import { shorten } from '../middleware/describe-problem.ts'
import type { JsonDocument } from '../parse-json.ts'
import type { MetricsQueryBody } from './schema.ts'

type Filter = NonNullable<Static<typeof MetricsQueryBody>['filters']>[number]

type Place = {
  /** Where the filter stands: `filters[2]`. */
  readonly param: string
  readonly field: MetricsField
  readonly sourceOf: JsonDocument['sourceOf']
}

const OPERATORS_OF_WORDS: readonly string[] = ['eq', 'neq', 'in']

/**
 * Reads one filter, its values in the form the column has.
 *
 * `neq` holds for a field that is null, as everybody expects who does not know SQL. Numbers are read from their text,
 * since a double has already lost digits of an amount.
 *
 * @throws {AppError} `validation_error`
 */
export function readFilter(filter: Filter, { param, field, sourceOf }: Place): MetricsFilter {
  const { operator, value } = filter
  if (field.kind === 'date')
    throw refuse(`${param}.field`, `is ${filter.field}; dates are limited by dateRange`)
  if (field.kind !== 'number' && !OPERATORS_OF_WORDS.includes(operator)) {
    throw refuse(
      `${param}.operator`,
      `is ${operator}; ${filter.field} can be asked for ${OPERATORS_OF_WORDS.join(', ')}`,
    )
  }
  if (Array.isArray(value) !== (operator === 'in')) {
    throw refuse(
      `${param}.value`,
      operator === 'in' ? 'must be an array with in' : `must be one value with ${operator}`,
    )
  }
  if (value === null) {
    if (operator === 'eq' || operator === 'neq') return { field, operator, values: [null] }
    throw refuse(`${param}.value`, `is null, which ${operator} cannot compare; eq and neq can`)
  }
  const sources = textsOf(sourceOf(filter, 'value') ?? '')
  const values = [value].flat().map((one, index) => {
    const at = Array.isArray(value) ? `${param}.value[${index}]` : `${param}.value`
    return readValue(one, { field, param: at, source: sources[index] ?? '' })
  })
  return { field, operator, values }
}

/** The spellings of a number, or of an array of numbers: neither has a comma within. */
function textsOf(source: string): readonly string[] {
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
      throw refuse(param, `is ${show(value)}; it must be a number`)
    case 'boolean':
      if (typeof value === 'boolean') return value
      throw refuse(param, `is ${show(value)}; it must be true or false`)
    case 'address': {
      const family = typeof value === 'string' ? addressFamily(value) : null
      const address = family && FAMILIES[family].parseAddress(String(value))
      if (family !== null && address !== null) return storedAddress(address, family)
      throw refuse(param, `is ${show(value)}; it must be an address`)
    }
    case 'text':
      if (typeof value === 'string' && (field.words === null || field.words.includes(value))) return value
      throw refuse(
        param,
        `is ${show(value)}; it must be ${field.words === null ? 'a text' : `one of ${field.words.join(', ')}`}`,
      )
  }
}

/** In the field's own units. */
function readNumber(source: string, { field, param }: { field: NumberField; param: string }): string {
  const decimal = parseDecimal(source)
  if (decimal === null)
    throw refuse(param, `is ${shorten(source)}; it must be a decimal number of at most 400 digits`)
  return formatDecimal(decimal.digits * 10n ** BigInt(field.scale), decimal.scale)
}

function show(value: unknown): string {
  return shorten(JSON.stringify(value))
}

function refuse(param: string, reason: string): AppError {
  return new AppError('validation_error', `${param} ${reason}`, { param })
}
