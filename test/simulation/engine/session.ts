import { createConnection, type Socket } from 'node:net'
import { type Message, queryMessage, readMessages } from './wire.ts'

/** A session with the real PostgreSQL, asked one thing at a time. */
export type Session = {
  /** The backend's process; 0 until it has started. */
  readonly pid: () => number
  /** Whether it has not answered yet. */
  readonly isAsked: () => boolean
  /** Whether its transaction has failed. */
  readonly hasFailed: () => boolean
  /** The statements that it has. */
  readonly prepared: Set<string>
  /** Sends bytes and resolves with what is answered, up to the message that ends it. */
  readonly ask: (bytes: Buffer, end: AnswerEnd) => Promise<readonly Message[]>
  /** The same, and tells the session what time it is from now on; in a transaction it stays what it was at its beginning. */
  readonly askAt: (now: Date, bytes: Buffer) => Promise<readonly Message[]>
  readonly destroy: () => void
}

/** `Z`: the server is ready for another query. `T`: it has said what a statement looks like. */
type AnswerEnd = 'Z' | 'T'

/** Opens one; a session that the server ends answers nothing any more, and whoever waits is told so. */
export function openSession(path: string): Session {
  const socket: Socket = createConnection({ path })
  let received: Message[] = []
  let rest: Buffer = Buffer.alloc(0)
  let pid = 0
  /** Its last word: `I`dle, in a `T`ransaction, or in a failed one (`E`). */
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

  /** Both in one packet, and of two answers the second. */
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

/** An error ends a description too: the client asks for the end of it itself. */
function isEnd({ type }: Message, end: AnswerEnd): boolean {
  return end === 'Z' ? type === 'Z' : type === 'T' || type === 'n' || type === 'E'
}
