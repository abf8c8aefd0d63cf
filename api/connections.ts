import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ApiConfig } from '../shared/runtime/api-config.ts'
import { addressBucket } from './middleware/rate-limit.ts'

/** The open connections of a server. */
export type Connections = {
  /** Those that have sent no request yet, which Node does not count as idle. */
  readonly silent: ReadonlySet<Socket>
}

/** How far a client has read. */
type Reading = { readBytes: number; sinceMs: number | null }

/** A client is cut off at most so much later than its bound says. */
const SWEEPS_PER_BOUND = 6

/**
 * Bounds what the connections of a server can hold: how many there are, in all and from one address, and how long one
 * stays whose client reads nothing of what is on its way.
 *
 * Reading means emptying a chunk of an answer or a frame of a stream: whoever takes a byte now and then reads nothing.
 * The address is the socket's own: behind a proxy all have the proxy's, and there is no bound of each by default.
 */
export function boundConnections(server: Server, bounds: ApiConfig['connections']): Connections {
  const silent = new Set<Socket>()
  const readings = new Map<Socket, Reading>()
  const perAddress = new Map<string, number>()
  server.maxConnections = bounds.max

  server.on('connection', (socket) => {
    const address = addressBucket(socket.remoteAddress ?? '')
    const count = (perAddress.get(address) ?? 0) + 1
    if (count > bounds.maxPerAddress) return void socket.destroy()
    perAddress.set(address, count)
    silent.add(socket)
    readings.set(socket, { readBytes: 0, sinceMs: null })
    socket.once('close', () => {
      silent.delete(socket)
      readings.delete(socket)
      const left = (perAddress.get(address) ?? 1) - 1
      if (left === 0) perAddress.delete(address)
      else perAddress.set(address, left)
    })
  })
  server.on('request', ({ socket }) => silent.delete(socket))

  const sweep = (): void => {
    for (const [socket, reading] of readings) {
      if (isAtRest(socket, reading, bounds.unreadTimeoutMs)) socket.destroy()
    }
  }
  let timer: NodeJS.Timeout | undefined
  server.on('listening', () => {
    timer = setInterval(sweep, bounds.unreadTimeoutMs / SWEEPS_PER_BOUND).unref()
  })
  server.on('close', () => clearInterval(timer))
  return { silent }
}

/** Notes how far the client has read, and tells whether it has read nothing for so long. */
function isAtRest(socket: Socket, reading: Reading, boundMs: number): boolean {
  if (socket.writableLength === 0) {
    reading.sinceMs = null
    return false
  }
  const readBytes = socket.bytesWritten - socket.writableLength
  if (reading.sinceMs === null || readBytes !== reading.readBytes) {
    Object.assign(reading, { readBytes, sinceMs: performance.now() })
    return false
  }
  return performance.now() - reading.sinceMs >= boundMs
}
