/** A message of PostgreSQL's protocol: its type's character, and all of its bytes. */
export type Message = { readonly type: string; readonly bytes: Buffer }

/** What a client sends before it must wait: the start of a session, a question what a statement looks like, a statement. */
export type Request = {
  readonly kind: 'startup' | 'describe' | 'statement' | 'end'
  readonly bytes: Buffer
  readonly messages: readonly Message[]
  /** The SQL as far as these bytes have it; a prepared one's is known by its name. */
  readonly text: string
}

/** Makes what cuts a client's bytes into requests. @see https://www.postgresql.org/docs/current/protocol-message-formats.html */
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

/** Sync, Query, Flush and Terminate. */
const ENDS: Readonly<Record<string, Request['kind']>> = {
  S: 'statement',
  Q: 'statement',
  H: 'describe',
  X: 'end',
}

/** Cuts the first message off; `null` if it is not all there. */
function cut(bytes: Buffer): Message | null {
  if (bytes.length < 5) return null
  const length = bytes.readUInt32BE(1) + 1
  if (bytes.length < length) return null
  return { type: String.fromCharCode(bytes[0] ?? 0), bytes: bytes.subarray(0, length) }
}

/** Cuts a server's bytes into messages. */
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

/** Two texts that end with a zero byte each. */
function wordsOf(bytes: Buffer, from: number): { readonly first: string; readonly second: string } {
  const end = bytes.indexOf(0, from)
  const next = bytes.indexOf(0, end + 1)
  return { first: bytes.toString('utf8', from, end), second: bytes.toString('utf8', end + 1, next) }
}

/** A simple query. */
export function queryMessage(text: string): Buffer {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(5)
  head.write('Q')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** The name of the statement that a message prepares, describes or binds. */
export function nameOf(message: Message): string {
  const { from, to } = placeOfName(message)
  return message.bytes.toString('latin1', from, to)
}

/** The same message with another name for its statement; as it is, if it names none. */
export function renamed(message: Message, name: string): Message {
  const { type, bytes } = message
  if (type !== 'P' && type !== 'D' && type !== 'B') return message
  const { from, to } = placeOfName(message)
  const changed = Buffer.concat([bytes.subarray(0, from), Buffer.from(name), bytes.subarray(to)])
  changed.writeUInt32BE(changed.length - 1, 1)
  return { type, bytes: changed }
}

/** A description names after a letter what it is of, and who binds names the portal first. */
function placeOfName({ type, bytes }: Message): { readonly from: number; readonly to: number } {
  const from = type === 'D' ? 6 : type === 'B' ? bytes.indexOf(0, 5) + 1 : 5
  return { from, to: bytes.indexOf(0, from) }
}

/** What a session starts with but for the name of the application, which changes nothing of it. */
export function startupTerms(startup: Buffer): string {
  const words = startup.toString('utf8', 8).split('\0')
  const name = words.indexOf('application_name')
  return words.filter((_, index) => name === -1 || (index !== name && index !== name + 1)).join(' ')
}
