import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type Koa from 'koa'
import { AppError } from '../shared/domain/errors.ts'
import { presentError } from './middleware/error-response.ts'

export type ApiServer = {
  /** Listens, and answers the port. */
  readonly start: () => Promise<number>
  /** Accepts nothing new, finishes what is under way for at most ten seconds, then cuts off the rest. */
  readonly stop: () => Promise<void>
}

type Options = {
  readonly host: string
  /** 0 is any free port. */
  readonly port: number
  /** Called when nothing new is accepted any more: ends what would never finish by itself. */
  readonly onStopping: () => void
}

/** A request's headers and body arrive within this, or the connection is not worth keeping. */
const REQUEST_TIMEOUT_MS = 30_000

/** Longer than the 60 s for which common load balancers keep an idle connection, so that they close it first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000

/** Below the lifecycle's bound of 25 s; no request but an escrow's or a check takes as long. */
const DRAIN_TIMEOUT_MS = 10_000

/** Makes the public HTTP server of an app. */
export function createApiServer(app: Koa, options: Options): ApiServer {
  const handle = app.callback()
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      // What Node would refuse by itself it would not refuse in the Error shape.
      requireHostHeader: false,
    },
    (request, response) => void handle(request, response),
  )
  server.on('checkExpectation', (request, response) => void handle(request, response))
  server.on('clientError', answerUnparsed)
  const silent = trackSilentConnections(server)
  return {
    start: () => listen(server, options),
    stop: () => drain(server, { silent, onStopping: options.onStopping }),
  }
}

/** Keeps the connections that have sent no request yet, which Node does not count as idle. */
function trackSilentConnections(server: Server): ReadonlySet<Socket> {
  const silent = new Set<Socket>()
  server.on('connection', (socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  server.on('request', ({ socket }) => silent.delete(socket))
  return silent
}

async function listen(server: Server, { host, port }: Options): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

async function drain(
  server: Server,
  { silent, onStopping }: { silent: ReadonlySet<Socket>; onStopping: () => void },
): Promise<void> {
  if (!server.listening) return
  const closed = new Promise((resolve) => server.close(resolve))
  onStopping()
  for (const socket of silent) socket.destroy()
  // A connection that becomes idle after `close` would otherwise be kept alive.
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const timeout = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS)
  await closed
  clearInterval(idle)
  clearTimeout(timeout)
}

/** Answers what is no HTTP, which never reaches the app, in the Error shape too. */
function answerUnparsed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const failure = new AppError(
    'validation_error',
    'the request is not valid HTTP, too large in its headers, or too slow',
  )
  const body = JSON.stringify(presentError(failure))
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nRequest-Id: ${randomUUID()}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
