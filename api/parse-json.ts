import { AppError } from '../shared/domain/errors.ts'
import { shorten } from './middleware/describe-problem.ts'

/** A parsed JSON text whose numbers and objects can still be had as the text they were. */
export type JsonDocument = {
  readonly value: unknown
  /** Answers the source text of a member of an object in `value`, or `null` if it has no such member. */
  readonly sourceOf: (holder: object, key: string) => string | null
}

/** Deeper than anything a merchant means; far below what the stack holds. */
const MAX_DEPTH = 32

/**
 * What a text costs goes by its values, not its bytes. The most that any allowed body holds is 8,200 of them, in
 * 16 KiB of metadata; a body of 96 KiB could hold six times as many.
 */
const MAX_VALUES = 10_000

/** Objects nested deeper are never asked for a member's text: `splitRecipients[0].percent` is as deep as it goes. */
const MAX_SOURCE_DEPTH = 2

/**
 * Parses one JSON text, more strictly than `JSON.parse`, and remembers where each member stood.
 *
 * The source text is kept because a double loses digits of an amount and `metadata` is returned as the text it was;
 * that of members more than three names deep is not. Refused besides what is no JSON: a name given twice, `__proto__`,
 * a NUL character or half a surrogate pair in any text, nesting beyond 32 levels, and more than 10,000 values.
 *
 * @throws {AppError} `validation_error`, saying where; `param` is the member it is about, as in
 *   `splitRecipients[0].percent`
 * @see https://www.rfc-editor.org/rfc/rfc8259
 */
export function parseJson(text: string): JsonDocument {
  const sources: Sources = new WeakMap()
  const reader: Reader = { text, at: 0, values: 0, path: [], sources }
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
  /** How many have begun. */
  values: number
  /** Of names and positions, from the outermost value to the one being read. */
  readonly path: Step[]
}

/** The name of a member, or the position of an entry. */
type Step = string | number

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
  reader.values += 1
  if (reader.values > MAX_VALUES) throw refuse(reader, `has more than ${MAX_VALUES} values`)
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
  if (reader.path.length >= MAX_DEPTH) throw refuse(reader, `is nested deeper than ${MAX_DEPTH} levels`)
  reader.at += 1
  return read(reader)
}

/** Reads the value of a member, which errors name until it ends. */
function readMember(reader: Reader, step: Step): unknown {
  reader.path.push(step)
  const value = readValue(reader)
  reader.path.pop()
  return value
}

function readObject(reader: Reader): object {
  const object: Record<string, unknown> = {}
  const sources = reader.path.length <= MAX_SOURCE_DEPTH ? new Map<string, string>() : null
  if (!takeIf(reader, '}')) {
    do {
      const key = readKey(reader)
      if (Object.hasOwn(object, key))
        throw refuseMember(reader, { path: [...reader.path, key], reason: 'is given twice' })
      skipSpace(reader)
      const start = reader.at
      object[key] = readMember(reader, key)
      sources?.set(key, reader.text.slice(start, reader.at))
    } while (takeIf(reader, ','))
    expect(reader, '}')
  }
  if (sources !== null) reader.sources.set(object, sources)
  return object
}

function readKey(reader: Reader): string {
  skipSpace(reader)
  const key = readString(reader)
  if (key === '__proto__')
    throw refuseMember(reader, { path: [...reader.path, key], reason: 'is not a name we take' })
  expect(reader, ':')
  return key
}

function readArray(reader: Reader): unknown[] {
  const array: unknown[] = []
  if (takeIf(reader, ']')) return array
  do array.push(readMember(reader, array.length))
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
  if (string.includes('\0')) throw refuseMember(reader, { path: reader.path, reason: 'has a NUL character' })
  if (/\p{Surrogate}/u.test(string))
    throw refuseMember(reader, { path: reader.path, reason: 'has half a surrogate pair' })
  return string
}

/** Without `exec`, whose answer is an array for every token. */
function take(reader: Reader, pattern: RegExp): string {
  const start = reader.at
  pattern.lastIndex = start
  if (!pattern.test(reader.text)) throw refuse(reader, 'is not valid JSON')
  reader.at = pattern.lastIndex
  return reader.text.slice(start, reader.at)
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
  while (isSpace(reader.text.charCodeAt(reader.at))) reader.at += 1
}

/** Tab, line feed, carriage return and space; NaN, after the end of the text, is none of them. */
function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

/** The text is no JSON, or none that we read. */
function refuse({ at }: Reader, reason: string): AppError {
  return new AppError('validation_error', `the body ${reason}, at character ${at}`)
}

/** It is JSON, but the member of this path is not as it must be. */
function refuseMember({ at }: Reader, { path, reason }: { path: readonly Step[]; reason: string }): AppError {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  const param = shorten(steps.replace(/^\./, ''))
  const options = param === '' ? {} : { param }
  return new AppError(
    'validation_error',
    `${param === '' ? 'the body' : param} ${reason}, at character ${at}`,
    options,
  )
}
