import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type ReceivedRequest = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Arrival time, in milliseconds of `performance.now()`. */
  readonly atMs: number
}

/** The receiver's reaction to its n-th request since `forget`, counted from 0. The receiver need not respond. */
export type Behaviour = (response: ServerResponse, request: ReceivedRequest, n: number) => void

/** A merchant's webhook endpoint. */
export type Receiver = {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  /** Returns the number of requests whose response is not finished. */
  readonly open: () => number
  readonly behave: (behaviour: Behaviour) => void
  /** Empties `requests`; the next request is number 0. */
  readonly forget: () => void
  readonly stop: () => Promise<void>
}

/** Responds with 200 immediately. */
export const ACCEPT: Behaviour = (response) => void response.writeHead(200).end('ok')

/** Returns a behaviour that responds with this status. */
export function refuse(status: number, headers: Record<string, string> = {}): Behaviour {
  return (response) => void response.writeHead(status, headers).end('no')
}

/** Starts a receiver on the loopback address. By default, the receiver accepts every request. */
export async function startReceiver(behaviour: Behaviour = ACCEPT): Promise<Receiver> {
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  let behave = behaviour
  let open = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    open += 1
    response.once('close', () => {
      open -= 1
    })
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { url: path = '', headers } = request
      const received = { path, headers, body: Buffer.concat(chunks).toString(), atMs: performance.now() }
      behave(response, received, requests.push(received) - 1)
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    requests,
    open: () => open,
    behave: (next) => {
      behave = next
    },
    forget: () => void requests.splice(0),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
