import type { AppError } from '../../shared/domain/errors.ts'
import { createFieldError } from './field-error.ts'
import { truncate } from './format-validation-error.ts'

/** A parsed JSON text, with the source text of its members. */
export type JsonDocument = {
  readonly value: unknown
  /** Returns the source text of a member of an object in `value`; `null` if it is missing or nested too deep. */
  readonly sourceOf: (holder: object, key: string) => string | null
}

/** Maximum nesting: deeper than any valid request, and far below the limit of the stack. */
const MAX_DEPTH = 32

/**
 * Maximum number of values, because the cost of parsing depends on the values and not on the bytes. A valid body has at
 * most 8,200 values, in 16 KiB of metadata. An invalid body of 96 KiB could have six times as many.
 */
const MAX_VALUES = 10_000

/** Maximum depth of an object whose members keep their source text. `splitRecipients[0]` has this depth. */
const MAX_SOURCE_DEPTH = 2

/**
 * Parses one JSON text, more strictly than `JSON.parse`, and keeps the source text of its members.
 *
 * The source text is needed because a double loses digits of an amount, and because `metadata` is returned unchanged.
 * A member with more than three steps in its path has no source text. In addition to invalid JSON, rejects duplicate
 * names, `__proto__`, a NUL character or half a surrogate pair in any text, nesting beyond 32 levels, and more than
 * 10,000 values.
 *
 * @throws {AppError} `validation_error` with the position in the text; `param` is the path of the member, such as
 *   `splitRecipients[0].percent`
 * @see https://www.rfc-editor.org/rfc/rfc8259
 */
export function parseJson(text: string): JsonDocument {
  const sources: Sources = new WeakMap()
  const reader: Reader = { text, at: 0, values: 0, path: [], sources }
  const value = readValue(reader)
  skipSpace(reader)
  if (reader.at < text.length) throw createTextError(reader, 'has more text after its end')
  return { value, sourceOf: (holder, key) => sources.get(holder)?.get(key) ?? null }
}

type Sources = WeakMap<object, Map<string, string>>

type Reader = {
  readonly text: string
  readonly sources: Sources
  at: number
  /** Number of values read so far, including unfinished values. */
  values: number
  /** Steps from the outermost value to the current value. */
  readonly path: Step[]
}

/** Name of a member, or position of an entry. */
type Step = string | number

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
// Unrolled, so that matching a long text does not backtrack.
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
  if (reader.values > MAX_VALUES) throw createTextError(reader, `has more than ${MAX_VALUES} values`)
  switch (reader.text.charAt(reader.at)) {
    case '{':
      return readNested(reader, readObject)
    case '[':
      return readNested(reader, readArray)
    case '"':
      return readString(reader)
    case 't':
    case 'f':
    case 'n':
      return WORDS.get(consume(reader, WORD))
    default:
      return Number(consume(reader, NUMBER))
  }
}

function readNested<Value>(reader: Reader, read: (reader: Reader) => Value): Value {
  if (reader.path.length >= MAX_DEPTH)
    throw createTextError(reader, `is nested deeper than ${MAX_DEPTH} levels`)
  reader.at += 1
  return read(reader)
}

/** Reads the value of a member or an entry. Errors in the value name its path. */
function readMember(reader: Reader, step: Step): unknown {
  reader.path.push(step)
  const value = readValue(reader)
  reader.path.pop()
  return value
}

function readObject(reader: Reader): object {
  const object: Record<string, unknown> = {}
  const sources = reader.path.length <= MAX_SOURCE_DEPTH ? new Map<string, string>() : null
  if (!consumeIf(reader, '}')) {
    do {
      const key = readKey(reader)
      if (Object.hasOwn(object, key))
        throw createMemberError(reader, { path: [...reader.path, key], reason: 'is given twice' })
      skipSpace(reader)
      const start = reader.at
      object[key] = readMember(reader, key)
      sources?.set(key, reader.text.slice(start, reader.at))
    } while (consumeIf(reader, ','))
    expect(reader, '}')
  }
  if (sources !== null) reader.sources.set(object, sources)
  return object
}

function readKey(reader: Reader): string {
  skipSpace(reader)
  const key = readString(reader)
  if (key === '__proto__')
    throw createMemberError(reader, { path: [...reader.path, key], reason: 'is not an allowed name' })
  expect(reader, ':')
  return key
}

function readArray(reader: Reader): unknown[] {
  const array: unknown[] = []
  if (consumeIf(reader, ']')) return array
  do array.push(readMember(reader, array.length))
  while (consumeIf(reader, ','))
  expect(reader, ']')
  return array
}

function readString(reader: Reader): string {
  const raw = consume(reader, STRING)
  return raw.includes('\\') ? unescape(reader, raw) : raw.slice(1, -1)
}

function unescape(reader: Reader, raw: string): string {
  let string: string
  try {
    string = JSON.parse(raw) as string
  } catch {
    throw createTextError(reader, 'has an invalid escape sequence')
  }
  if (string.includes('\0'))
    throw createMemberError(reader, { path: reader.path, reason: 'contains a NUL character' })
  if (/\p{Surrogate}/u.test(string))
    throw createMemberError(reader, { path: reader.path, reason: 'contains half a surrogate pair' })
  return string
}

/** Uses `test` and not `exec`, which creates an array for every token. */
function consume(reader: Reader, pattern: RegExp): string {
  const start = reader.at
  pattern.lastIndex = start
  if (!pattern.test(reader.text)) throw createTextError(reader, 'is not valid JSON')
  reader.at = pattern.lastIndex
  return reader.text.slice(start, reader.at)
}

function consumeIf(reader: Reader, character: string): boolean {
  skipSpace(reader)
  if (reader.text[reader.at] !== character) return false
  reader.at += 1
  return true
}

function expect(reader: Reader, character: string): void {
  if (!consumeIf(reader, character)) throw createTextError(reader, `is not valid JSON: expected ${character}`)
}

function skipSpace(reader: Reader): void {
  while (isSpace(reader.text.charCodeAt(reader.at))) reader.at += 1
}

/** Returns whether a code is JSON whitespace; false for NaN, the code after the end of the text. */
function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

/** Creates the error for a text that is not valid JSON, or exceeds a limit. */
function createTextError({ at }: Reader, reason: string): AppError {
  return createFieldError('', `${reason}, at character ${at}`)
}

/** Creates the error for a member that is valid JSON but not allowed. */
function createMemberError(
  { at }: Reader,
  { path, reason }: { path: readonly Step[]; reason: string },
): AppError {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  return createFieldError(truncate(steps.replace(/^\./, '')), `${reason}, at character ${at}`)
}
