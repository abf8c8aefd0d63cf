import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { addressBucket } from './middleware/rate-limit.ts'

/** Number of bytes that a client has read, and the time when this number last changed; null if no bytes are unread. */
type ReadProgress = { readBytes: number; sinceMs: number | null }

/** Sweeps per timeout. A stalled client is disconnected at most about a sixth of the timeout late. */
const SWEEPS_PER_BOUND = 6

/**
 * Limits the connections of a server: their number, in total and per address, and how long a client may leave a pending
 * response unread.
 *
 * Only a whole chunk of a response or frame of a stream counts as read, not single bytes. The address is the socket's.
 * Behind a proxy, all clients share the proxy's address, so the limit per address is then off by default.
 *
 * @returns the connections that have sent no request yet, which Node does not count as idle
 */
export function limitConnections(server: Server, bounds: ApiConfig['connections']): ReadonlySet<Socket> {
  const silent = new Set<Socket>()
  const progress = new Map<Socket, ReadProgress>()
  const perAddress = new Map<string, number>()
  server.maxConnections = bounds.max

  server.on('connection', (socket) => {
    const address = addressBucket(socket.remoteAddress ?? '')
    const count = (perAddress.get(address) ?? 0) + 1
    if (count > bounds.maxPerAddress) return void socket.destroy()
    perAddress.set(address, count)
    silent.add(socket)
    progress.set(socket, { readBytes: 0, sinceMs: null })
    socket.once('close', () => {
      silent.delete(socket)
      progress.delete(socket)
      const left = (perAddress.get(address) ?? 1) - 1
      if (left === 0) perAddress.delete(address)
      else perAddress.set(address, left)
    })
  })
  server.on('request', ({ socket }) => silent.delete(socket))

  const sweep = (): void => {
    for (const [socket, read] of progress) {
      if (isStalled(socket, read, bounds.unreadTimeoutMs)) socket.destroy()
    }
  }
  let timer: NodeJS.Timeout | undefined
  server.on('listening', () => {
    timer = setInterval(sweep, bounds.unreadTimeoutMs / SWEEPS_PER_BOUND).unref()
  })
  server.on('close', () => clearInterval(timer))
  return silent
}

/** Records the client's progress. Returns whether unread bytes remained without progress for `timeoutMs`. */
function isStalled(socket: Socket, read: ReadProgress, timeoutMs: number): boolean {
  if (socket.writableLength === 0) {
    read.sinceMs = null
    return false
  }
  const readBytes = socket.bytesWritten - socket.writableLength
  if (read.sinceMs === null || readBytes !== read.readBytes) {
    Object.assign(read, { readBytes, sinceMs: performance.now() })
    return false
  }
  return performance.now() - read.sinceMs >= timeoutMs
}
