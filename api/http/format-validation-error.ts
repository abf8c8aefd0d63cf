import type { ErrorObject } from 'ajv'
import { LOWERCASE_ADDRESS } from './schema.ts'

/** Path of an invalid field, and the reason as for `createFieldError`. */
export type FieldError = { readonly param: string; readonly reason: string }

/**
 * Converts an Ajv error into our wording, with the value and the limit. Ajv must run with `verbose`.
 *
 * @param root - name of the field if only that field was validated; empty if the whole document was
 */
export function formatValidationError(error: ErrorObject | undefined, root: string): FieldError {
  if (error === undefined) return { param: root, reason: 'is not valid' }
  const { params, keyword } = error
  const param = root + toParam(error.instancePath)
  const inside = (name: unknown): string => (param === '' ? '' : `${param}.`) + truncate(String(name))
  switch (keyword) {
    case 'required':
      return { param: inside(params['missingProperty']), reason: 'is required' }
    case 'additionalProperties':
      return { param: inside(params['additionalProperty']), reason: 'is not a field of this request' }
    case 'uniqueItems':
      return { param: `${param}[${params['i']}]`, reason: `is the same as ${param}[${params['j']}]` }
    default:
      return { param: trimDot(param), reason: describeValue(error) }
  }
}

function describeValue({ keyword, params, data, schema, parentSchema }: ErrorObject): string {
  const limit = String(params['limit'])
  switch (keyword) {
    case 'type':
      return `is ${show(data)}; it must be of type ${params['type']}`
    case 'enum':
      return `is ${show(data)}; it must be one of ${(schema as unknown[]).join(', ')}`
    case 'const':
      return `is ${show(data)}; it must be ${show(params['allowedValue'])}`
    case 'minimum':
      return `is ${show(data)}, below the minimum ${limit}`
    case 'maximum':
      return `is ${show(data)}, above the maximum ${limit}`
    case 'exclusiveMinimum':
      return `is ${show(data)}; it must be greater than ${limit}`
    case 'minLength':
    case 'maxLength':
      return `has ${Array.from(String(data)).length} characters; ${describeBounds(parentSchema?.['minLength'], parentSchema?.['maxLength'])}`
    case 'minItems':
    case 'maxItems':
      return `has ${(data as unknown[]).length} entries; ${describeBounds(parentSchema?.['minItems'], parentSchema?.['maxItems'])}`
    case 'pattern':
      return `is ${show(data)}; it must ${describePattern(String(params['pattern']), String(data))}`
    default:
      return `is ${show(data)}, which the schema does not allow (${keyword})`
  }
}

function describeBounds(minimum: unknown, maximum: unknown): string {
  if (maximum === undefined) return `at least ${Number(minimum)} are required`
  return `${Number(minimum ?? 0)} to ${Number(maximum)} are allowed`
}

/**
 * Describes the required form. Most invalid addresses contain the capitals of a checksum, and a message with only the
 * pattern would not explain the error.
 */
function describePattern(pattern: string, text: string): string {
  if (new RegExp(pattern, 'u').test(text.toLowerCase())) return 'be in lowercase'
  return pattern === LOWERCASE_ADDRESS
    ? 'be an address in lowercase: 0x and 40 hex digits'
    : `match ${pattern}`
}

/** Converts `/acceptedPayments/1/token` to `.acceptedPayments[1].token`. Without a root, `trimDot` removes the dot. */
function toParam(instancePath: string): string {
  return instancePath
    .split('/')
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
}

function trimDot(param: string): string {
  return param.startsWith('.') ? param.slice(1) : param
}

function show(value: unknown): string {
  return truncate(JSON.stringify(value) ?? 'nothing')
}

/** Truncates a caller's text to 60 characters for a message. */
export function truncate(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
