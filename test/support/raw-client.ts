import { connect, type Socket } from 'node:net'

/** A TCP client that can write arbitrary bytes. */
export type RawClient = {
  readonly socket: Socket
  /** Returns everything read so far. */
  readonly text: () => string
  /** Whether both sides closed the connection, or the connection was reset. */
  readonly isClosed: () => boolean
}

/** Connects and writes `request`. With `isResting`, the client reads nothing until its socket is resumed. */
export async function openRawClient(
  baseUrl: string,
  request: string,
  { isResting = false }: { readonly isResting?: boolean } = {},
): Promise<RawClient> {
  // With half-open connections, the client's side stays open after the server has closed its side.
  const socket = connect({ port: Number(new URL(baseUrl).port), host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  let isClosed = false
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isClosed = true
  })
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  if (isResting) socket.pause()
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  if (isResting) socket.pause()
  if (request !== '') socket.write(request)
  return { socket, text: () => text, isClosed: () => isClosed }
}

/** Returns a GET request with an API key, as text. */
export function getRequest(path: string, key: string, headers: readonly string[] = []): string {
  return ['GET ' + path + ' HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`, ...headers, '', ''].join(
    '\r\n',
  )
}

/**
 * Returns whether the connection is closed. Must be polled, because an idle client detects the server's close only by
 * the reset that follows a write. Writes a line break, which HTTP allows between requests.
 */
export function isGone({ socket, isClosed }: RawClient): boolean {
  if (!isClosed() && (socket.readableEnded || socket.isPaused())) socket.write('\r\n')
  return isClosed()
}
