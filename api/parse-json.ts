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
 * Parses one JSON text, more strictly than `JSON.parse`, and remembers where each member stood.
 *
 * The source text is kept because a double loses digits of an amount (decisions 1.2) and `metadata` is returned as
 * the text it was (decisions 3.9). Refused besides what is no JSON: a name given twice, `__proto__`, a NUL character
 * or half a surrogate pair in any text, and nesting beyond 32 levels.
 *
 * @throws {AppError} `validation_error`, saying where; `param` is the member it is about, as in
 *   `splitRecipients[0].percent`
 * @see https://www.rfc-editor.org/rfc/rfc8259
 */
export function parseJson(text: string): JsonDocument {
  const sources: Sources = new WeakMap()
  const reader: Reader = { text, at: 0, path: [], sources }
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
  /** Of names and positions, from the outermost value to the one being read. */
  readonly path: Step[]
}

/** The name of a member, or the position of an entry. */
type Step = string | number

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
  const sources = new Map<string, string>()
  if (!takeIf(reader, '}')) {
    do {
      const key = readKey(reader)
      if (sources.has(key))
        throw refuseMember(reader, { path: [...reader.path, key], reason: 'is given twice' })
      skipSpace(reader)
      const start = reader.at
      object[key] = readMember(reader, key)
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
