import { connect, type Socket } from 'node:net'

/** A client that writes arbitrary bytes, and reads on demand. */
export type RawClient = {
  readonly socket: Socket
  /** Everything read so far. */
  readonly text: () => string
  /** Whether the connection was closed by both sides or reset; a half-closed one does not count. */
  readonly isClosed: () => boolean
}

/** Connects and writes `request`; with `isResting` it reads nothing until its socket is resumed. */
export async function openRawClient(
  baseUrl: string,
  request: string,
  { isResting = false }: { readonly isResting?: boolean } = {},
): Promise<RawClient> {
  // Half-open, like a client that never closes its own side, regardless of the server.
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

/** A GET with a key, as text. */
export function getRequest(path: string, key: string, headers: readonly string[] = []): string {
  return ['GET ' + path + ' HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`, ...headers, '', ''].join(
    '\r\n',
  )
}

/**
 * Returns whether the server has closed both directions: data written to it is answered with a reset.
 *
 * An idle client notices this only by writing. A line break between requests is not a request.
 */
export function isGone({ socket, isClosed }: RawClient): boolean {
  if (!isClosed() && (socket.readableEnded || socket.isPaused())) socket.write('\r\n')
  return isClosed()
}
