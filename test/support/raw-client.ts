import { connect, type Socket } from 'node:net'

/** A client that writes what it likes, and reads when it is told to. */
export type RawClient = {
  readonly socket: Socket
  /** All that it has read. */
  readonly text: () => string
  /** The connection was closed by both sides, or reset: what is half-closed is not. */
  readonly isClosed: () => boolean
}

/** Connects and writes `request`; with `isResting` it reads nothing until its socket is resumed. */
export async function openRawClient(
  baseUrl: string,
  request: string,
  { isResting = false }: { readonly isResting?: boolean } = {},
): Promise<RawClient> {
  // Half-open, as a client is that never closes its own side whatever the server does.
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
 * Tells whether the server is gone, and not with its own half alone: what is written to it is answered with a reset.
 *
 * A client that rests hears of nothing unless it writes. A line break between requests is no request.
 */
export function isGone({ socket, isClosed }: RawClient): boolean {
  if (!isClosed() && (socket.readableEnded || socket.isPaused())) socket.write('\r\n')
  return isClosed()
}
