import { createConnection, type Socket } from 'node:net'
import { type Message, queryMessage, readMessages } from './wire.ts'

/** A session with the real PostgreSQL. It processes one request at a time. */
export type Session = {
  /** Process id of the backend; 0 until it has started. */
  readonly pid: () => number
  readonly isAsked: () => boolean
  readonly hasFailed: () => boolean
  readonly prepared: Set<string>
  /** Sends bytes, and resolves with the response up to the message that ends it. */
  readonly ask: (bytes: Buffer, end: AnswerEnd) => Promise<readonly Message[]>
  /** Sets the session's simulated time, unless it is in a transaction, and then sends the bytes. */
  readonly askAt: (now: Date, bytes: Buffer) => Promise<readonly Message[]>
  readonly destroy: () => void
}

/** The message that ends a response: ReadyForQuery (`Z`), or the description of a statement (`T`). */
type AnswerEnd = 'Z' | 'T'

/** Opens a session. If the server ends the session, pending requests resolve with the messages received so far. */
export function openSession(path: string): Session {
  const socket: Socket = createConnection({ path })
  let received: Message[] = []
  let rest: Buffer = Buffer.alloc(0)
  let pid = 0
  /** Last reported status: idle (`I`), in a transaction (`T`), or in a failed transaction (`E`). */
  let status = 'I'
  let toldMs = 0
  let waiting: { readonly end: AnswerEnd; readonly resolve: (messages: readonly Message[]) => void } | null =
    null

  socket.on('data', (bytes: Buffer) => {
    const read = readMessages(Buffer.concat([rest, bytes]))
    rest = read.rest
    for (const message of read.messages) take(message)
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    while (waiting !== null) answer()
  })

  function take(message: Message): void {
    received.push(message)
    if (message.type === 'K') pid = message.bytes.readUInt32BE(5)
    if (message.type === 'Z') status = String.fromCharCode(message.bytes[5] ?? 0)
    if (waiting !== null && isEnd(message, waiting.end)) answer()
  }

  function answer(): void {
    const messages = received
    const asked = waiting
    received = []
    waiting = null
    asked?.resolve(messages)
  }

  async function ask(bytes: Buffer, end: AnswerEnd): Promise<readonly Message[]> {
    return new Promise((resolve) => {
      waiting = { end, resolve }
      socket.write(bytes)
    })
  }

  /** Sends both in one packet, and resolves with the second response. */
  async function askAt(now: Date, bytes: Buffer): Promise<readonly Message[]> {
    if (status !== 'I' || toldMs === now.getTime()) return ask(bytes, 'Z')
    toldMs = now.getTime()
    const time = queryMessage(`set simulation.now = '${now.toISOString()}'`)
    return new Promise((resolve) => {
      const second = { end: 'Z', resolve } as const
      waiting = {
        end: 'Z',
        resolve: () => {
          waiting = second
        },
      }
      socket.write(Buffer.concat([time, bytes]))
    })
  }

  return {
    pid: () => pid,
    isAsked: () => waiting !== null,
    hasFailed: () => status === 'E',
    prepared: new Set(),
    ask,
    askAt,
    destroy: () => void socket.destroy(),
  }
}

/**
 * Whether a message ends a response. NoData (`n`) also ends a description, and so does an error, because the client
 * itself then sends Sync.
 */
function isEnd({ type }: Message, end: AnswerEnd): boolean {
  return end === 'Z' ? type === 'Z' : type === 'T' || type === 'n' || type === 'E'
}
