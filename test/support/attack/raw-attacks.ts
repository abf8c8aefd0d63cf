import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** An attacker's address, and its target. */
export type Attacker = { readonly baseUrl: string; readonly from: string }

/** Returns the shortest HTTP/1.1 request: only the request line. */
export function shortRequest(path: string, method = 'GET'): string {
  return `${method} ${path} HTTP/1.1\r\n\r\n`
}

/**
 * Sends many requests in one write, ignores the responses, and disconnects after `holdMs`. Resolves when either side
 * has closed the connection.
 */
export async function pipeline(
  attacker: Attacker,
  attack: { readonly request: string; readonly count: number; readonly holdMs: number },
): Promise<void> {
  const socket = await openSocket(attacker)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(attack.request.repeat(attack.count))
  const timer = setTimeout(() => socket.destroy(), attack.holdMs)
  // Starts to read, because a socket that is not read does not report that it was closed.
  socket.resume()
  await closed
  clearTimeout(timer)
}

/** Opens connections that each send one request and read nothing. Returns a function that closes them. */
export async function readNothing(
  attacker: Attacker,
  attack: { readonly request: string; readonly connections: number },
): Promise<() => void> {
  const sockets: Socket[] = []
  for (let index = 0; index < attack.connections; index += 1) {
    const socket = await openSocket(attacker)
    socket.write(attack.request)
    sockets.push(socket)
  }
  return () => sockets.forEach((socket) => socket.destroy())
}

/** Opens connections one after another, sends a request on each, and closes each after `holdMs`. */
export async function openMany(
  attacker: Attacker,
  attack: { readonly request: string; readonly connections: number; readonly holdMs: number },
): Promise<void> {
  const left: Promise<void>[] = []
  for (let index = 0; index < attack.connections; index += 1) {
    const socket = await openSocket(attacker)
    socket.write(attack.request)
    left.push(delay(attack.holdMs).then(() => void socket.destroy()))
  }
  await Promise.all(left)
}

/** Connects without reading. Resolves when the connection is established or refused. */
async function openSocket({ baseUrl, from }: Attacker): Promise<Socket> {
  const { port } = new URL(baseUrl)
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: from })
  socket.pause()
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  return socket
}
