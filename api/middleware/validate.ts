import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { AppError } from '../../shared/domain/errors.ts'
import type { JsonDocument } from '../parse-json.ts'
import { describeProblem, type Problem, shorten } from './describe-problem.ts'

/**
 * Rules of single fields that a schema cannot say; each sees the whole body, of which only the fields before its own
 * are known to be valid.
 */
export type FieldRules<Schema extends TObject> = {
  readonly [Field in keyof Static<Schema>]?: (body: Static<Schema>, document: JsonDocument) => Problem | null
}

/** Checks a parsed body and answers it typed. */
export type ValidateBody<Schema extends TObject> = (document: JsonDocument) => Static<Schema>

/** Checks a query string and answers it typed. */
export type ValidateQuery<Schema extends TObject> = (queryString: string) => Static<Schema>

/**
 * Compiles the check of a body against its schema and its rules.
 *
 * The function made throws `validation_error` for the first wrong field in the order of the schema (decisions 3.3),
 * then for unknown fields.
 */
export function compileBody<Schema extends TObject>(
  schema: Schema,
  rules: FieldRules<Schema> = {},
): ValidateBody<Schema> {
  const check = ajv.compile<Static<Schema>>(schema)
  const fields = compileFields(schema)
  return (document) => {
    const { value } = document
    if (!isObject(value)) throw refuse({ param: '', reason: 'must be a JSON object' })
    const isSound = check(value)
    for (const field of fields) {
      if (!isSound) field.check(value)
      const problem = rules[field.name]?.(value as Static<Schema>, document)
      if (problem) throw refuse(problem)
    }
    if (!isSound) throw refuse(describeProblem(check.errors?.[0], ''))
    return value as Static<Schema>
  }
}

/**
 * Compiles the check of a query string: every parameter known, given once, and of its type.
 *
 * The function made throws `validation_error`.
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
    throw refuse(describeProblem(check.errors?.[0], ''))
  }
}

/** An error of the contract in the Error shape. */
function refuse({ param, reason }: Problem): AppError {
  const options = param === '' ? {} : { param }
  return new AppError('validation_error', `${param === '' ? 'the body' : param} ${reason}`, options)
}

// Strict, so that a schema that says less than it seems to does not compile.
const ajv = new Ajv2020({ strict: true, verbose: true, allowUnionTypes: true })

type Field = { readonly name: string; readonly check: (holder: Record<string, unknown>) => void }

/** One check per field, in the schema's order: slower than the whole, and only run on what the whole refused. */
function compileFields(schema: TObject): readonly Field[] {
  return Object.entries(schema.properties).map(([name, property]) => {
    const check = ajv.compile(property)
    const isRequired = schema.required?.includes(name) ?? false
    return {
      name,
      check: (holder) => {
        const value = holder[name]
        if (value === undefined && isRequired) throw refuse({ param: name, reason: 'is required' })
        if (value !== undefined && !check(value)) throw refuse(describeProblem(check.errors?.[0], name))
      },
    }
  })
}

function readQuery(schema: TObject, queryString: string): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  for (const [name, text] of new URLSearchParams(queryString)) {
    if (Object.hasOwn(query, name)) throw refuse({ param: shorten(name), reason: 'is given more than once' })
    if (!Object.hasOwn(schema.properties, name)) {
      throw refuse({ param: shorten(name), reason: 'is no parameter of this endpoint' })
    }
    if (text.includes('\0')) throw refuse({ param: name, reason: 'has a NUL character' })
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
