import { Socket } from 'node:net'

type Place = { readonly host: string; readonly port: number; readonly keepAliveMs: number }

/** What a client says first, behind its length: the protocol's version 3.0, or that it asks for TLS. */
const GREETINGS: readonly number[] = [196_608, 80_877_103]

/**
 * Opens a way to a server for the driver (postgres 3.4.9), which loses what it is asked while a connection is lost
 * (porsager/postgres 1130 and 1142; found 2026-11-23 by promoting a standby). Two things are made good here:
 *
 * - Of a connection that was reset Node tells the error at once and the end after other work. The driver answers the first
 *   by failing what was asked, the second by opening the connection anew; what it was given in between was never
 *   answered. A pool whose callers asked again at once stood still for good. So both are told together.
 * - What was to be written when the end came keeps the driver from writing anything ever after: each query that was given to
 *   the connection waited for its time-out, until enough was kept back to be written at once, as a greeting that no server
 *   understands. So a connection that does not greet fails at once, and what precedes the greeting is left out.
 *
 * Over TLS the driver puts a socket of its own on this one, for which the first does not hold.
 */
export function openSocket({ host, port, keepAliveMs }: Place): Socket {
  // First of all: `connect` gives a socket the class's own `write` again.
  const socket = new Socket().connect({ host, port })
  tellFailureWithEnd(socket)
  const hasGreeted = greetFirst(socket)
  socket.once('connect', () => {
    // What the driver sets before there is a connection, the system replaces by its own when there is.
    socket.setKeepAlive(true, keepAliveMs)
    // It writes in the turn after its own `connected`, which is before this.
    setImmediate(() => setImmediate(() => hasGreeted() || socket.destroy(unwritten())))
  })
  // The driver reads for whom a certificate must be from here.
  return Object.assign(socket, { host, port })
}

/** Answers where the server of a URL is; `null` if it names several, or a path: those the driver finds by itself. */
export function placeOf(url: string): { readonly host: string; readonly port: number } | null {
  if (!URL.canParse(url)) return null
  const { hostname, port } = new URL(url)
  const host = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1')
  if (host === '' || /[,/]/.test(host)) return null
  return { host, port: port === '' ? 5432 : Number(port) }
}

function tellFailureWithEnd(socket: Socket): void {
  const emit = socket.emit.bind(socket)
  let failure: unknown = null
  socket.emit = (event: string | symbol, ...told: unknown[]): boolean => {
    if (event === 'error') {
      failure ??= told[0]
      return true
    }
    const isHeard = socket.listenerCount('error') > 0
    if (event === 'close' && failure !== null && isHeard) emit('error', failure)
    return emit(event, ...told)
  }
}

/** Leaves out what is written before the greeting; answers whether that was written. */
function greetFirst(socket: Socket): () => boolean {
  const write = socket.write.bind(socket) as (bytes: Buffer, ...rest: unknown[]) => boolean
  let hasGreeted = false
  socket.write = (bytes: Buffer, ...rest: unknown[]): boolean => {
    const isFirst = !hasGreeted
    hasGreeted = true
    return write(isFirst ? fromGreeting(bytes) : bytes, ...rest)
  }
  return () => hasGreeted
}

/** The last message, where that is a greeting. */
function fromGreeting(bytes: Buffer): Buffer {
  for (let start = bytes.length - 8; start > 0; start -= 1)
    if (
      start + bytes.readUInt32BE(start) === bytes.length &&
      GREETINGS.includes(bytes.readUInt32BE(start + 4))
    )
      return bytes.subarray(start)
  return bytes
}

function unwritten(): Error {
  const message = 'the driver wrote no greeting: it keeps back what the connection before has left'
  return Object.assign(new Error(message), { code: 'ECONNRESET' })
}
