/** Something that the merchant kept: an API response or a webhook. */
export type KeptRecord = {
  /** The text exactly as received. A signature covers these bytes. */
  readonly body: string | Uint8Array
  /** Names in lower case; `null` if only the body was kept, and for a response. */
  readonly headers: Readonly<Record<string, string>> | null
}

/**
 * Splits a kept file into its records, in any of the forms in which servers and their logs keep them:
 *
 * - one JSON text: a charge, a webhook's body, a list of them, or a page of `GET /v1/charges`;
 * - one JSON text per line;
 * - an HTTP message: header lines, an empty line and the body.
 *
 * A JSON object with `headers` and a textual `body` is a whole message as well.
 *
 * @throws {SyntaxError} if the text has none of these forms
 */
export function splitRecords(bytes: Uint8Array): readonly KeptRecord[] {
  const text = new TextDecoder().decode(bytes)
  if (text.trim() === '') return []
  if (!/^\s*[{[]/.test(text)) return [parseMessage(bytes)]
  const whole = tryParse(text)
  if (whole !== undefined) return listRecords(whole, bytes)
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.flatMap((line) => listRecords(JSON.parse(line), line.trim()))
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The text belongs to the value: the signature of a webhook that is not in a list covers it. */
function listRecords(value: unknown, text: KeptRecord['body']): readonly KeptRecord[] {
  const list = Array.isArray(value) ? value : findPage(value)
  if (list !== null) return list.flatMap((one) => listRecords(one, JSON.stringify(one)))
  const { headers, body } = Object(value) as { headers?: unknown; body?: unknown }
  if (typeof body !== 'string' || typeof headers !== 'object' || headers === null)
    return [{ body: text, headers: null }]
  const entries = Object.entries(headers).map(([name, one]) => [
    name.toLowerCase(),
    String([one].flat()[0] ?? ''),
  ])
  return [{ body, headers: Object.fromEntries(entries) as Record<string, string> }]
}

function findPage(value: unknown): readonly unknown[] | null {
  const { data } = Object(value) as { data?: unknown }
  return Array.isArray(data) ? data : null
}

/** An empty line ends the headers. */
const END_OF_HEADERS = /\r?\n\r?\n/

/** A header line. Its value may contain colons. */
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/

function parseMessage(bytes: Uint8Array): KeptRecord {
  // In latin1, positions in the text are positions in the bytes.
  const text = Buffer.from(bytes).toString('latin1')
  const end = END_OF_HEADERS.exec(text)
  if (end === null) throw new SyntaxError('it is neither JSON nor an HTTP message')
  const lines = text.slice(0, end.index).split(/\r?\n/)
  const pairs = lines.flatMap((line) => {
    const [, name, value] = HEADER.exec(line) ?? []
    return name === undefined ? [] : [[name.toLowerCase(), value ?? ''] as const]
  })
  // A response has no signature. A request must have one, if there are secrets.
  const isResponse = text.startsWith('HTTP/')
  const headers: Record<string, string> = Object.fromEntries(pairs)
  const body = bytes.subarray(end.index + end[0].length)
  const length = Number(headers['content-length'] ?? Number.NaN)
  // An editor or a log might have added a line break after the body.
  return {
    headers: isResponse ? null : headers,
    body: Number.isSafeInteger(length) ? body.subarray(0, length) : body,
  }
}
