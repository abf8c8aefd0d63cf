/** A message of PostgreSQL's protocol: the character of its type, and all its bytes. */
export type Message = { readonly type: string; readonly bytes: Buffer }

/** Messages that a client sends together. */
export type Request = {
  readonly kind: 'startup' | 'describe' | 'statement' | 'end'
  readonly bytes: Buffer
  readonly messages: readonly Message[]
  /** The SQL in these bytes, or the SQL of the prepared statement that they name. */
  readonly text: string
}

/**
 * Creates a function that splits a client's bytes into requests.
 *
 * @see https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export function createRequestReader(): (chunk: Buffer) => readonly Request[] {
  const statements = new Map<string, string>()
  let pending = Buffer.alloc(0)
  let messages: Message[] = []
  let hasStarted = false

  return (chunk) => {
    pending = Buffer.concat([pending, chunk])
    const requests: Request[] = []
    if (!hasStarted && pending.length >= 4 && pending.length >= pending.readUInt32BE(0)) {
      const length = pending.readUInt32BE(0)
      requests.push({ kind: 'startup', bytes: pending.subarray(0, length), messages: [], text: '' })
      pending = pending.subarray(length)
      hasStarted = true
    }
    if (!hasStarted) return requests
    for (let message = cut(pending); message !== null; message = cut(pending)) {
      pending = pending.subarray(message.bytes.length)
      messages.push(message)
      const kind = ENDS[message.type]
      if (kind === undefined) continue
      requests.push({
        kind,
        bytes: Buffer.concat(messages.map(({ bytes }) => bytes)),
        messages,
        text: textOf(messages, statements),
      })
      messages = []
    }
    return requests
  }
}

/** Message types that end a request: Sync, Query, Flush and Terminate. */
const ENDS: Readonly<Record<string, Request['kind']>> = {
  S: 'statement',
  Q: 'statement',
  H: 'describe',
  X: 'end',
}

/** Returns the first message; `null` if it is incomplete. */
function cut(bytes: Buffer): Message | null {
  if (bytes.length < 5) return null
  const length = bytes.readUInt32BE(1) + 1
  if (bytes.length < length) return null
  return { type: String.fromCharCode(bytes[0] ?? 0), bytes: bytes.subarray(0, length) }
}

/** Splits a server's bytes into messages. `rest` is an incomplete last message. */
export function readMessages(bytes: Buffer): {
  readonly messages: readonly Message[]
  readonly rest: Buffer
} {
  const messages: Message[] = []
  let rest = bytes
  for (let message = cut(rest); message !== null; message = cut(rest)) {
    messages.push(message)
    rest = rest.subarray(message.bytes.length)
  }
  return { messages, rest }
}

function textOf(messages: readonly Message[], statements: Map<string, string>): string {
  for (const { type, bytes } of messages) {
    if (type === 'Q') return wordsOf(bytes, 5).first
    if (type === 'P') {
      const { first: name, second: text } = wordsOf(bytes, 5)
      statements.set(name, text)
      return text
    }
    if (type === 'B') return statements.get(wordsOf(bytes, 5).second) ?? '?'
  }
  return ''
}

/** Returns two consecutive texts. Each ends with a zero byte. */
function wordsOf(bytes: Buffer, from: number): { readonly first: string; readonly second: string } {
  const end = bytes.indexOf(0, from)
  const next = bytes.indexOf(0, end + 1)
  return { first: bytes.toString('utf8', from, end), second: bytes.toString('utf8', end + 1, next) }
}

export function queryMessage(text: string): Buffer {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(5)
  head.write('Q')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** Returns the name of the statement that a message prepares, describes or binds. */
export function nameOf(message: Message): string {
  const { from, to } = placeOfName(message)
  return message.bytes.toString('latin1', from, to)
}

/** Replaces the name of the statement in a message. Returns other messages unchanged. */
export function renamed(message: Message, name: string): Message {
  const { type, bytes } = message
  if (type !== 'P' && type !== 'D' && type !== 'B') return message
  const { from, to } = placeOfName(message)
  const changed = Buffer.concat([bytes.subarray(0, from), Buffer.from(name), bytes.subarray(to)])
  changed.writeUInt32BE(changed.length - 1, 1)
  return { type, bytes: changed }
}

/**
 * Returns the position of the statement's name. In a Describe message it follows a letter, and in a Bind message it
 * follows the name of the portal.
 */
function placeOfName({ type, bytes }: Message): { readonly from: number; readonly to: number } {
  const from = type === 'D' ? 6 : type === 'B' ? bytes.indexOf(0, 5) + 1 : 5
  return { from, to: bytes.indexOf(0, from) }
}

/** Returns the startup parameters of a session without the application's name, which does not affect results. */
export function startupTerms(startup: Buffer): string {
  const words = startup.toString('utf8', 8).split('\0')
  const name = words.indexOf('application_name')
  return words.filter((_, index) => name === -1 || (index !== name && index !== name + 1)).join(' ')
}
