import { Socket } from 'node:net'
import { encrypt, type TlsMode } from './connect-tls.ts'
import { endReadOnlySession } from './end-read-only-session.ts'

type Place = {
  readonly host: string
  readonly port: number
  readonly keepAliveMs: number
  /** Whether a session that accepts no writes is kept. */
  readonly acceptsStandby: boolean
  /** Encryption mode; `null` for an unencrypted connection. */
  readonly tls: TlsMode | null
}

/** The field after the length in a client's first message: protocol version 3.0 or a TLS request. */
const GREETINGS: readonly number[] = [196_608, 80_877_103]

/**
 * Opens a socket to a server for the driver. Works around two defects of postgres 3.4.9, which loses queries that it
 * receives while a connection is being lost (porsager/postgres 1130 and 1142; found 2026-11-23 by promoting a standby):
 *
 * - When a connection is reset, Node emits `error` immediately and `close` after other work. The driver fails its
 *   queries on `error`, reconnects on `close`, and never settles the queries that it receives in between. A pool whose
 *   callers retried immediately hung permanently. This function therefore emits both events together.
 * - If bytes are still buffered when a connection ends, the driver writes nothing on the next connection until its
 *   buffer is large enough for a single write. Until then, each query waited for its timeout. The server then rejected
 *   the old bytes, because they were no greeting. This function therefore fails a connection without a greeting
 *   immediately, and drops bytes before a greeting.
 */
export function connectSocket({ host, port, keepAliveMs, acceptsStandby, tls }: Place): Socket {
  // Must come first, because `connect` resets a socket's `write` to the method of its class.
  const plain = new Socket().connect({ host, port })
  const socket = tls === null ? plain : encrypt(plain, { host, mode: tls })
  tellFailureWithEnd(socket)
  if (!acceptsStandby) endReadOnlySession(socket)
  const hasGreeted = greetFirst(socket)
  plain.once('connect', () => {
    // Set again, because the operating system discards a keepalive that is set before the connection exists.
    plain.setKeepAlive(true, keepAliveMs)
    // The driver writes one event-loop turn after its own `connected` handler, which runs before this handler.
    setImmediate(() => setImmediate(() => hasGreeted() || socket.destroy(unwritten())))
  })
  // The driver reads the host that the certificate must name from these fields.
  return Object.assign(socket, { host, port })
}

/**
 * Returns the host and port of a URL; `null` if the URL is malformed, or names no host, several hosts or a socket path.
 * The driver handles such URLs itself.
 */
export function findServerAddress(url: string): { readonly host: string; readonly port: number } | null {
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

/** Drops bytes before the greeting in the first write. Returns a function that reports whether anything was written. */
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

/** Returns the last message if it is a greeting; otherwise all bytes. */
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
  const message = 'the driver wrote no greeting: it holds back data of the previous connection'
  return Object.assign(new Error(message), { code: 'ECONNRESET' })
}
