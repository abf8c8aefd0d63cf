import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A pooler in transaction mode between clients and PostgreSQL. */
export type TransactionPooler = {
  /** Returns the URL of the same database through the pooler. */
  readonly through: (url: string) => string
  readonly stop: () => Promise<void>
}

type Server = { readonly socket: Socket; client: Client | null; pending: number }
type Client = { readonly socket: Socket; server: Server | null; waiting: Buffer[] }

const HEADER_BYTES = 5
const READY_FOR_QUERY = 'Z'.charCodeAt(0)
/** Messages of a client to which the server responds with ReadyForQuery: Query and Sync. */
const ANSWERED = ['Q', 'S'].map((type) => type.charCodeAt(0))
const IDLE = 'I'.charCodeAt(0)

/**
 * Starts a pooler that lends a server session to a client for one transaction and drops the client's start-up
 * parameters, like PgBouncer with `pool_mode = transaction` and all parameters in `ignore_startup_parameters`.
 */
export async function startTransactionPooler(): Promise<TransactionPooler> {
  const idle: Server[] = []
  const sockets = new Set<Socket>()
  let target: URL | null = null
  const server = createServer((socket) => {
    keep(socket)
    const client: Client = { socket, server: null, waiting: [] }
    const parts = createFramer()
    let isGreeted = false
    socket.on('data', (bytes: Buffer) => {
      if (!isGreeted) {
        isGreeted = true
        socket.write(GREETING)
      } else for (const message of parts(bytes)) forward(client, message)
    })
    socket.on('close', () => client.server?.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    through: (text) => {
      target = new URL(text)
      const url = new URL(text)
      url.port = String((server.address() as AddressInfo).port)
      return url.href
    },
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  }

  function forward(client: Client, message: Buffer): void {
    if (message[0] === 'X'.charCodeAt(0)) return
    const lent = client.server ?? lend(client)
    if (ANSWERED.includes(message[0] ?? 0)) lent.pending += 1
    lent.socket.write(message)
  }

  /** Lends the session that was returned last, like PgBouncer, or a new session. */
  function lend(client: Client): Server {
    const lent = idle.pop() ?? open()
    lent.client = client
    client.server = lent
    return lent
  }

  function open(): Server {
    const url = target
    if (url === null) throw new Error('the pooler has no target yet: call `through` first')
    const socket = connect(Number(url.port), '127.0.0.1')
    keep(socket)
    // The ReadyForQuery that ends the server's greeting counts as the first response, and is not forwarded.
    const opened: Server = { socket, client: null, pending: 1 }
    const parts = createFramer()
    let isGreeted = false
    socket.write(startup(url))
    socket.on('data', (bytes: Buffer) => {
      for (const message of parts(bytes)) {
        if (isGreeted) opened.client?.socket.write(message)
        if (message[0] !== READY_FOR_QUERY) continue
        isGreeted = true
        opened.pending -= 1
        if (opened.pending === 0 && message[HEADER_BYTES] === IDLE) giveBack(opened)
      }
    })
    socket.on('close', () => {
      idle.splice(0, idle.length, ...idle.filter((one) => one !== opened))
      opened.client?.socket.destroy()
    })
    return opened
  }

  function giveBack(returned: Server): void {
    if (returned.client !== null) returned.client.server = null
    returned.client = null
    idle.push(returned)
  }
}

/** Creates a function that cuts a stream of bytes into whole messages. */
function createFramer(): (bytes: Buffer) => readonly Buffer[] {
  let kept = Buffer.alloc(0)
  return (bytes) => {
    kept = Buffer.concat([kept, bytes])
    const messages: Buffer[] = []
    while (kept.length >= HEADER_BYTES && kept.length > kept.readUInt32BE(1)) {
      const length = kept.readUInt32BE(1) + 1
      messages.push(kept.subarray(0, length))
      kept = kept.subarray(length)
    }
    return messages
  }
}

function startup(url: URL): Buffer {
  const text = `user\0${url.username}\0database\0${url.pathname.slice(1)}\0\0`
  const head = Buffer.alloc(8)
  head.writeUInt32BE(head.length + text.length, 0)
  head.writeUInt32BE(196_608, 4)
  return Buffer.concat([head, Buffer.from(text)])
}

/** AuthenticationOk, and ReadyForQuery outside a transaction. */
const GREETING = Buffer.from('5200000008000000005a0000000549', 'hex')
