/** A record that the merchant kept: an API response or a webhook. */
export type KeptRecord = {
  /** Place in the file, such as `line 3`; empty for the whole file. */
  readonly part: string
  /** The body exactly as received, because the signature covers these bytes. */
  readonly body: string | Uint8Array
  /** Names in lower case; `null` for a response, or if only the body was kept. */
  readonly headers: Readonly<Record<string, string>> | null
}

/** A part of a file that is not a record. */
export type UnreadablePart = { readonly part: string; readonly problem: string }

/**
 * Maximum nesting of a record. Real charges are far less nested, and a parser can need gigabytes for a long text of
 * opening brackets.
 */
const MAX_NESTING = 100

const NO_FORM = 'it is neither JSON nor an HTTP message with a JSON body'

/**
 * Splits a file into its records. The file may have any of these forms:
 *
 * - one JSON text: a charge, a webhook's body, a list of these, or a page of `GET /v1/charges`;
 * - one JSON text per line;
 * - an HTTP message: header lines, an empty line and the body.
 *
 * A JSON object with `headers` and a text `body` also counts as an HTTP message. A truncated or malformed line is
 * yielded as an unreadable part, and the other lines are still read.
 */
export function* splitRecords(bytes: Uint8Array): Generator<KeptRecord | UnreadablePart> {
  const text = new TextDecoder().decode(bytes)
  if (text.trim() === '') return
  const whole = parseJson(text)
  const message = whole === undefined ? parseMessage(bytes) : null
  if (whole !== undefined) yield* listRecords(whole, { text: bytes, part: '' })
  else if (message !== null) yield message
  else yield* splitLines(text)
}

/** If no line is JSON, reports the whole file once instead of every line. */
function* splitLines(text: string): Generator<KeptRecord | UnreadablePart> {
  const lines = text.split('\n')
  if (lines.every((line) => parseJson(line) === undefined)) {
    yield { part: '', problem: NO_FORM }
    return
  }
  for (const [index, line] of lines.entries()) {
    const part = `line ${index + 1}`
    const value = parseJson(line)
    if (value !== undefined) yield* listRecords(value, { text: line.trim(), part })
    else if (line.trim() !== '') yield { part, problem: 'the line is not JSON' }
  }
}

/** Returns `undefined` unless the text is a JSON object or list that is not nested too deeply. */
function parseJson(text: string): object | undefined {
  if (!/^\s*[{[]/.test(text) || isNestedTooDeeply(text)) return undefined
  try {
    return JSON.parse(text) as object
  } catch {
    return undefined
  }
}

function isNestedTooDeeply(text: string): boolean {
  let depth = 0
  let isString = false
  for (let at = 0; at < text.length; at += 1) {
    const one = text[at]
    if (isString && one === '\\') at += 1
    else if (one === '"') isString = !isString
    else if (!isString && (one === '{' || one === '[')) depth += 1
    else if (!isString && (one === '}' || one === ']')) depth -= 1
    if (depth > MAX_NESTING) return true
  }
  return false
}

/**
 * Lists the records in a value: a single record, a list or a page. A list may contain lists or
 * pages, but no deeper level.
 *
 * @param text - the value as received: a webhook's signature covers this text, unless the webhook was in a list
 */
function* listRecords(
  value: unknown,
  { text, part, depth = 0 }: { text: KeptRecord['body']; part: string; depth?: number },
): Generator<KeptRecord> {
  const list = Array.isArray(value) ? value : findPage(value)
  if (list === null || depth > 1) yield readRecord(value, { text, part })
  else
    for (const [index, one] of list.entries()) {
      const place = [part, `record ${index + 1}`].filter(Boolean).join(', ')
      yield* listRecords(one, { text: JSON.stringify(one), part: place, depth: depth + 1 })
    }
}

function findPage(value: unknown): readonly unknown[] | null {
  const { data } = Object(value) as { data?: unknown }
  return Array.isArray(data) ? data : null
}

function readRecord(value: unknown, { text, part }: { text: KeptRecord['body']; part: string }): KeptRecord {
  const { headers, body } = Object(value) as { headers?: unknown; body?: unknown }
  if (typeof body !== 'string' || typeof headers !== 'object' || headers === null)
    return { part, body: text, headers: null }
  const entries = Object.entries(headers).map(([name, one]) => [
    name.toLowerCase(),
    String([one].flat()[0] ?? ''),
  ])
  return { part, body, headers: Object.fromEntries(entries) as Record<string, string> }
}

const END_OF_HEADERS = /\r?\n\r?\n/

/** A header line: a name, a colon and a value, which may contain colons. */
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/

/** Maximum size of a message's headers. Servers allow 16 to 64 kB. */
const MAX_HEADER_BYTES = 64 * 1024

/** Returns `null` if the file is not an HTTP message with a JSON body, such as a log with a damaged first line. */
function parseMessage(bytes: Uint8Array): KeptRecord | null {
  // Latin-1 has one byte per character, so positions in the text are positions in the bytes.
  const text = Buffer.from(bytes.subarray(0, MAX_HEADER_BYTES)).toString('latin1')
  const end = END_OF_HEADERS.exec(text)
  if (end === null) return null
  const headers = parseHeaders(text.slice(0, end.index))
  const body = withoutLineBreak(bytes.subarray(end.index + end[0].length), headers)
  if (parseJson(new TextDecoder().decode(body)) === undefined) return null
  // `null` marks a response, which is unsigned. A request must be signed if the user passed webhook secrets.
  return { part: '', body, headers: text.startsWith('HTTP/') ? null : headers }
}

function parseHeaders(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = HEADER.exec(line) ?? []
    return name === undefined ? [] : [[name.toLowerCase(), (value ?? '').trim()] as const]
  })
  return Object.fromEntries(pairs)
}

/** Truncates the body to its `content-length`, because an editor or a log might have appended a line break. */
function withoutLineBreak(body: Uint8Array, headers: Readonly<Record<string, string>>): Uint8Array {
  const length = headers['content-length'] ?? ''
  return /^\d{1,9}$/.test(length) ? body.subarray(0, Number(length)) : body
}
