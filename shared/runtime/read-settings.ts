import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { Ajv, type ErrorObject } from 'ajv'
import { SETTING_FORMATS } from './setting-formats.ts'

/** The environment variables of a process. */
export type ProcessEnv = Readonly<Record<string, string | undefined>>

/** The typed settings with their defaults, or the problems of all invalid settings. */
export type SettingsOutcome<Schema extends TSchema> =
  | { readonly values: Static<Schema>; readonly problems: readonly [] }
  | { readonly values: null; readonly problems: readonly string[] }

/**
 * Reads the variables of `schema`, which are declared in `settings.ts`. An empty variable counts as not set, because
 * Compose passes unset variables as empty ones.
 *
 * Each problem is a sentence with the variable, its value (unless it is secret) and the limit.
 */
export function readSettings<Schema extends TObject>(
  schema: Schema,
  env: ProcessEnv,
): SettingsOutcome<Schema> {
  const names = Object.keys(schema.properties)
  const values = Object.fromEntries(names.filter((name) => env[name]).map((name) => [name, env[name]]))
  const validate = ajv.compile<Static<Schema>>(schema)
  if (validate(values)) return { values, problems: [] }
  const errors = validate.errors ?? []
  // ajv reports each member of a union and then the union itself. Only the union's error is kept.
  const relevant = errors.filter((error) => error.keyword !== 'const')
  return { values: null, problems: relevant.map((error) => describe(error, schema, env)) }
}

const ajv = new Ajv({
  allErrors: true,
  coerceTypes: true,
  useDefaults: true,
  formats: Object.fromEntries(
    Object.entries(SETTING_FORMATS).map(([name, { validate }]) => [name, { validate }]),
  ),
  keywords: ['secret'],
})

function describe(error: ErrorObject, schema: TObject, env: ProcessEnv): string {
  const name: string = error.params['missingProperty'] ?? error.instancePath.slice(1)
  const property = schema.properties[name]
  const value = env[name]
  return `${name} is ${show(value, property)}: must be ${expectation(property)}`
}

function show(value: string | undefined, property: TSchema | undefined): string {
  if (!value) return 'not set'
  return property?.['secret'] === true
    ? `set to ${value.length} characters (not shown)`
    : JSON.stringify(value)
}

function expectation(property: TSchema | undefined): string {
  const format: unknown = property?.['format']
  if (typeof format === 'string' && isFormat(format)) return SETTING_FORMATS[format].expected
  if (property?.['minLength'] !== undefined) return `at least ${property['minLength']} characters`
  if (property?.['minimum'] !== undefined) {
    return `a whole number from ${property['minimum']} to ${property['maximum']}`
  }
  if (property?.['exclusiveMinimum'] !== undefined) {
    return `a number above ${property['exclusiveMinimum']}, at most ${property['maximum']}`
  }
  const words: readonly TSchema[] = property?.['anyOf'] ?? []
  return words.length > 0 ? `one of ${words.map((word) => word['const']).join(', ')}` : 'set'
}

function isFormat(name: string): name is keyof typeof SETTING_FORMATS {
  return Object.hasOwn(SETTING_FORMATS, name)
}
