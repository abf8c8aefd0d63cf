import { AppError } from '../shared/domain/errors.ts'

/** A parsed JSON text whose numbers and objects can still be had as the text they were. */
export type JsonDocument = {
  readonly value: unknown
  /** Answers the source text of a member of an object in `value`, or `null` if it has no such member. */
  readonly sourceOf: (holder: object, key: string) => string | null
}

/** Deeper than anything a merchant means; far below what the stack holds. */
const MAX_DEPTH = 32

/**
 * Parses one JSON text, more strictly than `JSON.parse`, and remembers where each member stood.
 *
 * The source text is kept because a double loses digits of an amount (decisions 1.2) and `metadata` is returned as
 * the text it was (decisions 3.9). Refused besides what is no JSON: a name given twice, `__proto__`, a NUL character
 * or half a surrogate pair in any text, and nesting beyond 32 levels.
 *
 * @throws {AppError} `validation_error`, saying where
 * @see https://www.rfc-editor.org/rfc/rfc8259
 */
export function parseJson(text: string): JsonDocument {
  const sources: Sources = new WeakMap()
  const reader: Reader = { text, at: 0, depth: 0, sources }
  const value = readValue(reader)
  skipSpace(reader)
  if (reader.at < text.length) throw refuse(reader, 'has more after its end')
  return { value, sourceOf: (holder, key) => sources.get(holder)?.get(key) ?? null }
}

type Sources = WeakMap<object, Map<string, string>>

type Reader = {
  readonly text: string
  readonly sources: Sources
  at: number
  depth: number
}

const SPACE = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
// Unrolled, so that a long text needs no backtracking.
const STRING = /"[^"\\\u0000-\u001f]*(?:\\[^\u0000-\u001f][^"\\\u0000-\u001f]*)*"/y
const WORD = /true|false|null/y
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

function readValue(reader: Reader): unknown {
  skipSpace(reader)
  switch (reader.text.charAt(reader.at)) {
    case '{':
      return nested(reader, readObject)
    case '[':
      return nested(reader, readArray)
    case '"':
      return readString(reader)
    case 't':
    case 'f':
    case 'n':
      return WORDS.get(take(reader, WORD))
    default:
      return Number(take(reader, NUMBER))
  }
}

function nested<Value>(reader: Reader, read: (reader: Reader) => Value): Value {
  reader.depth += 1
  if (reader.depth > MAX_DEPTH) throw refuse(reader, `is nested deeper than ${MAX_DEPTH} levels`)
  reader.at += 1
  const value = read(reader)
  reader.depth -= 1
  return value
}

function readObject(reader: Reader): object {
  const object: Record<string, unknown> = {}
  const sources = new Map<string, string>()
  if (!takeIf(reader, '}')) {
    do {
      const key = readKey(reader)
      if (sources.has(key)) throw refuse(reader, `gives ${shown(key)} twice`, key)
      skipSpace(reader)
      const start = reader.at
      object[key] = readValue(reader)
      sources.set(key, reader.text.slice(start, reader.at))
    } while (takeIf(reader, ','))
    expect(reader, '}')
  }
  reader.sources.set(object, sources)
  return object
}

function readKey(reader: Reader): string {
  skipSpace(reader)
  const key = readString(reader)
  if (key === '__proto__') throw refuse(reader, 'must not name __proto__', key)
  expect(reader, ':')
  return key
}

function readArray(reader: Reader): unknown[] {
  const array: unknown[] = []
  if (takeIf(reader, ']')) return array
  do array.push(readValue(reader))
  while (takeIf(reader, ','))
  expect(reader, ']')
  return array
}

function readString(reader: Reader): string {
  const raw = take(reader, STRING)
  return raw.includes('\\') ? unescape(reader, raw) : raw.slice(1, -1)
}

function unescape(reader: Reader, raw: string): string {
  let string: string
  try {
    string = JSON.parse(raw) as string
  } catch {
    throw refuse(reader, 'has an escape that is none')
  }
  if (string.includes('\0')) throw refuse(reader, 'has a NUL character in a text')
  if (/\p{Surrogate}/u.test(string)) throw refuse(reader, 'has half a surrogate pair in a text')
  return string
}

function take(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at
  const match = pattern.exec(reader.text)
  if (match === null) throw refuse(reader, 'is not valid JSON')
  reader.at = pattern.lastIndex
  return match[0]
}

function takeIf(reader: Reader, character: string): boolean {
  skipSpace(reader)
  if (reader.text[reader.at] !== character) return false
  reader.at += 1
  return true
}

function expect(reader: Reader, character: string): void {
  if (!takeIf(reader, character)) throw refuse(reader, `is not valid JSON: no ${character} where one must be`)
}

function skipSpace(reader: Reader): void {
  SPACE.lastIndex = reader.at
  SPACE.test(reader.text)
  reader.at = SPACE.lastIndex
}

function refuse(reader: Reader, reason: string, param?: string): AppError {
  return new AppError('validation_error', `the body ${reason}, at character ${reader.at}`, { param })
}

function shown(key: string): string {
  return JSON.stringify(key.length > 40 ? `${key.slice(0, 40)}…` : key)
}
