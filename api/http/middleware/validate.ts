import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { AppError } from '../../../shared/domain/errors.ts'
import { createFieldError } from '../field-error.ts'
import { type FieldError, formatValidationError, truncate } from '../format-validation-error.ts'
import type { JsonDocument } from '../parse-json.ts'

/**
 * Rules of single fields that a schema cannot express. Each rule receives the whole body, but may rely only on its own
 * field and the fields before it, because later fields are not validated yet.
 */
export type FieldRules<Schema extends TObject> = {
  readonly [Field in keyof Static<Schema>]?: (
    body: Static<Schema>,
    document: JsonDocument,
  ) => FieldError | null
}

/** Validates a parsed body and returns it typed. */
export type ValidateBody<Schema extends TObject> = (document: JsonDocument) => Static<Schema>

/** Validates a query string and returns it typed. */
export type ValidateQuery<Schema extends TObject> = (queryString: string) => Static<Schema>

/**
 * Compiles the validation of a body by its schema and its rules.
 *
 * The created function throws `validation_error` for the first invalid field in the order of the schema (decisions
 * 3.3), then for unknown fields.
 */
export function compileBody<Schema extends TObject>(
  schema: Schema,
  rules: FieldRules<Schema> = {},
): ValidateBody<Schema> {
  const check = ajv.compile<Static<Schema>>(schema)
  const fields = compileFields(schema)
  return (document) => {
    const { value } = document
    if (!isObject(value)) throw createFieldError('', 'must be a JSON object')
    const isValid = check(value)
    for (const field of fields) {
      if (!isValid) field.check(value)
      const problem = rules[field.name]?.(value as Static<Schema>, document)
      if (problem) throw createError(problem)
    }
    if (!isValid) throw createError(formatValidationError(check.errors?.[0], ''))
    return value as Static<Schema>
  }
}

/**
 * Compiles the validation of a query string: every parameter must be known, occur once and have its type.
 *
 * The created function throws `validation_error`.
 */
export function compileQuery<Schema extends TObject>(schema: Schema): ValidateQuery<Schema> {
  const check = ajv.compile<Static<Schema>>(schema)
  const fields = compileFields(schema)
  const defaults = check({}) ? Object.freeze({}) : null
  return (queryString) => {
    if (queryString === '' && defaults) return defaults as Static<Schema>
    const value = readQuery(schema, queryString)
    if (check(value)) return value as Static<Schema>
    for (const field of fields) field.check(value)
    throw createError(formatValidationError(check.errors?.[0], ''))
  }
}

function createError({ param, reason }: FieldError): AppError {
  return createFieldError(param, reason)
}

// Strict mode, so that a schema with an ignored or misspelled keyword does not compile.
const ajv = new Ajv2020({ strict: true, verbose: true, allowUnionTypes: true })

type Field = { readonly name: string; readonly check: (holder: Record<string, unknown>) => void }

/**
 * Compiles one check per field, in the schema's order. These checks run only if the faster check of the whole schema
 * failed.
 */
function compileFields(schema: TObject): readonly Field[] {
  return Object.entries(schema.properties).map(([name, property]) => {
    const check = ajv.compile(property)
    const isRequired = schema.required?.includes(name) ?? false
    return {
      name,
      check: (holder) => {
        const value = holder[name]
        if (value === undefined && isRequired) throw createFieldError(name, 'is required')
        if (value !== undefined && !check(value))
          throw createError(formatValidationError(check.errors?.[0], name))
      },
    }
  })
}

function readQuery(schema: TObject, queryString: string): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  for (const [name, text] of new URLSearchParams(queryString)) {
    if (Object.hasOwn(query, name)) throw createFieldError(truncate(name), 'is given more than once')
    if (!Object.hasOwn(schema.properties, name)) {
      throw createFieldError(truncate(name), 'is not a parameter of this endpoint')
    }
    if (text.includes('\0')) throw createFieldError(name, 'contains a NUL character')
    query[name] = isInteger(schema.properties[name]) && /^-?\d{1,15}$/.test(text) ? Number(text) : text
  }
  return query
}

function isInteger(schema: TSchema | undefined): boolean {
  return schema?.['type'] === 'integer'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
