import type { TSchema } from '@sinclair/typebox'
import type { Random } from '../seeded-random.ts'
import { HOSTILE_DEPTHS, HOSTILE_NUMBERS, HOSTILE_TEXTS } from './hostile-values.ts'

/** A value to serialize as JSON. An object can have a field twice, and numbers are raw text, which may be invalid. */
export type JsonText =
  | string
  | boolean
  | null
  | { readonly raw: string }
  | { readonly fields: readonly (readonly [string, JsonText])[] }
  | readonly JsonText[]

/** Values with a meaning in this API: for a field, by its name, and for any field. */
export type Vocabulary = {
  readonly byName: Readonly<Record<string, readonly string[]>>
  readonly anywhere: readonly string[]
}

type Source = { readonly random: Random; readonly vocabulary: Vocabulary }

/** Draws a value that usually matches the schema, often at a limit or similar to the schema's example. */
export function drawValid(source: Source, schema: TSchema, name = ''): JsonText {
  const { random } = source
  const {
    type = 'string',
    enum: words,
    anyOf,
    examples = [],
  } = schema as { type?: string; enum?: string[]; anyOf?: TSchema[]; examples?: unknown[] }
  if (examples.length > 0 && random.fraction() < 0.5)
    return drawLike(source, schema, toJsonText(random.pick(examples)))
  if (words) return random.pick(words)
  if (anyOf) return drawValid(source, random.pick(anyOf), name)
  switch (type) {
    case 'object':
      return { fields: drawFields(source, schema) }
    case 'array':
      return Array.from({ length: drawLength(random, schema['minItems'], schema['maxItems']) }, () =>
        drawValid(source, schema['items'] as TSchema, name),
      )
    case 'integer':
    case 'number':
      return { raw: drawNumber(random, schema) }
    case 'boolean':
      return random.fraction() < 0.5
    case 'null':
      return null
    default:
      return drawString(source, schema, name)
  }
}

/**
 * Changes one part of a value, at any depth: replaces the part with a hostile value, or removes, duplicates, renames or
 * adds a field.
 */
export function mutate(source: Source, value: JsonText): JsonText {
  const { random } = source
  const stays = random.fraction() < 0.6
  if (stays && Array.isArray(value) && value.length > 0) {
    const at = random.integer(value.length)
    return value.map((item: JsonText, index) => (index === at ? mutate(source, item) : item))
  }
  if (stays && isObject(value)) {
    const { fields } = value
    const at = random.integer(fields.length + 1)
    const [name, item] = fields[at] ?? [drawName(source), drawHostile(source)]
    const rest = fields.filter((_, index) => index !== at)
    return {
      fields: random.pick([
        [...rest, [name, mutate(source, item)]],
        rest,
        [...fields, [name, item]],
        [...rest, [drawName(source), item]],
      ]),
    }
  }
  return drawHostile(source)
}

/** Serializes the value. Lone surrogates are escaped, so they survive the encoding as UTF-8. */
export function writeJson(value: JsonText): string {
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`
  if (isObject(value)) {
    return `{${value.fields.map(([name, item]) => `${JSON.stringify(name)}:${writeJson(item)}`).join(',')}}`
  }
  return isRaw(value) ? value.raw : JSON.stringify(value)
}

/** Draws a text that might cause a failure: hostile, meaningful in this API, near a length limit, or not ASCII. */
export function drawHostileText({ random, vocabulary }: Source): string {
  return random.pick([
    ...HOSTILE_TEXTS,
    random.pick(vocabulary.anywhere),
    'x'.repeat(random.pick([64, 65, 255, 256, 2048, 2049])),
    random.pick(['😀', 'é', '中', '\u202e']).repeat(random.pick([1, 32, 128])),
  ])
}

function drawHostile(source: Source): JsonText {
  const { random } = source
  return random.pick<() => JsonText>([
    () => drawHostileText(source),
    () => ({ raw: random.pick(HOSTILE_NUMBERS) }),
    () => random.pick([null, true, false]),
    () => [],
    () => ({ fields: [] }),
    () => ({ fields: [[drawName(source), drawHostileText(source)]] }),
    () => Array.from({ length: random.pick([1, 6, 19, 21, 1000]) }, () => drawHostileText(source)),
    () => ({ raw: nest(random.pick(['[', '{"a":']), random.pick(HOSTILE_DEPTHS)) }),
  ])()
}

function nest(opening: string, depth: number): string {
  return opening.repeat(depth) + '1' + (opening === '[' ? ']' : '}').repeat(depth)
}

/**
 * Returns the example from the API document, sometimes with some of the schema's fields added or drawn again. An
 * example usually satisfies conditions that a schema cannot express.
 */
function drawLike(source: Source, schema: TSchema, example: JsonText): JsonText {
  if (!isObject(example) || source.random.fraction() < 0.5) return example
  const optional = drawFields(source, { ...schema, required: [] })
  const names = new Set(optional.map(([name]) => name))
  return { fields: [...example.fields.filter(([name]) => !names.has(name)), ...optional] }
}

function toJsonText(value: unknown): JsonText {
  if (typeof value === 'number') return { raw: String(value) }
  if (Array.isArray(value)) return value.map(toJsonText)
  if (typeof value === 'object' && value !== null)
    return { fields: Object.entries(value).map(([name, item]) => [name, toJsonText(item)]) }
  return value as string | boolean | null
}

function drawName(source: Source): string {
  const { random, vocabulary } = source
  return random.pick([
    '__proto__',
    'constructor',
    random.pick(Object.keys(vocabulary.byName)),
    drawHostileText(source),
  ])
}

function drawFields(source: Source, schema: TSchema): (readonly [string, JsonText])[] {
  const { random } = source
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as {
    properties?: Record<string, TSchema>
    required?: string[]
    additionalProperties?: boolean
  }
  const fields = Object.entries(properties)
    .filter(([name]) => required.includes(name) || random.fraction() < 0.35)
    .map(([name, property]) => [name, drawValid(source, property, name)] as const)
  const isOpen = additionalProperties !== false && random.fraction() < 0.5
  return isOpen ? [...fields, [drawHostileText(source), random.pick(source.vocabulary.anywhere)]] : fields
}

function drawLength(random: Random, min = 0, max = Number.POSITIVE_INFINITY): number {
  return random.fraction() < 0.05 && max < 100 ? max : min + random.integer(Math.min(max, min + 4) - min + 1)
}

function drawNumber(random: Random, schema: TSchema): string {
  const { minimum, exclusiveMinimum, maximum, type } = schema as Readonly<Record<string, number | string>>
  const isInteger = type === 'integer'
  const low = Number(minimum ?? exclusiveMinimum ?? -10)
  const high = Number(maximum ?? 1000)
  const between = low + random.fraction() * (Math.min(high, low + 1000) - low)
  if (isInteger) return String(random.pick([low, high, Math.floor(between)]))
  return random.pick([between.toFixed(6), String(high), between.toFixed(2), '10', '1e1', '0.000001'])
}

function drawString(source: Source, schema: TSchema, name: string): string {
  const { random, vocabulary } = source
  const {
    pattern,
    minLength = 0,
    maxLength = 60,
  } = schema as {
    pattern?: string
    minLength?: number
    maxLength?: number
  }
  const form = pattern === undefined ? null : new RegExp(pattern, 'u')
  const fits = (word: string) =>
    word.length >= minLength && word.length <= maxLength && (form === null || form.test(word))
  const named = random.fraction() < 0.8 ? (vocabulary.byName[name] ?? []).filter(fits) : []
  if (named.length > 0) return random.pick(named)
  const others = vocabulary.anywhere.filter(fits)
  return others.length > 0 ? random.pick(others) : 'x'.repeat(Math.max(1, minLength))
}

function isObject(value: JsonText): value is { readonly fields: readonly (readonly [string, JsonText])[] } {
  return typeof value === 'object' && value !== null && 'fields' in value
}

function isRaw(value: JsonText): value is { readonly raw: string } {
  return typeof value === 'object' && value !== null && 'raw' in value
}
