import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A request as a receiver got it. */
export type ReceivedRequest = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** By the machine's clock. */
  readonly atMs: number
}

/** The receiver's reaction to its n-th request (from 0); it may omit a response. */
export type Behaviour = (response: ServerResponse, request: ReceivedRequest, n: number) => void

/** A merchant's endpoint. */
export type Receiver = {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  /** Requests without a finished response. */
  readonly open: () => number
  readonly behave: (behaviour: Behaviour) => void
  /** Empties `requests`. */
  readonly forget: () => void
  readonly stop: () => Promise<void>
}

/** Responds with 200 immediately. */
export const ACCEPT: Behaviour = (response) => void response.writeHead(200).end('ok')

/** Responds with this status. */
export function refuse(status: number, headers: Record<string, string> = {}): Behaviour {
  return (response) => void response.writeHead(status, headers).end('no')
}

/** Starts one on loopback; at first it accepts everything. */
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
