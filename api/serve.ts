import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type Koa from 'koa'
import { AppError } from '../shared/domain/errors.ts'
import type { ApiConfig } from '../shared/runtime/api-config.ts'
import { boundConnections } from './connections.ts'
import { presentError } from './middleware/error-response.ts'
import { handleInTurn } from './pipelined-requests.ts'

export type ApiServer = {
  /** Listens, and answers the port. */
  readonly start: () => Promise<number>
  /**
   * Serves on for `drainMs`, each answer the last one of its connection; then accepts nothing new, finishes what is under way
   * for at most ten seconds, and cuts off the rest.
   */
  readonly stop: () => Promise<void>
  /** Rejects until it listens, and from the moment it was asked to stop: a balancer is to send elsewhere. */
  readonly requireServing: () => Promise<void>
}

type Options = {
  readonly host: string
  /** 0 is any free port. */
  readonly port: number
  readonly drainMs: number
  /** Called when nothing new is accepted any more: ends what would never finish by itself. */
  readonly onStopping: () => void
  readonly connections: ApiConfig['connections']
}

/** Headers are a packet or two; a body may come over a slow line. */
const HEADERS_TIMEOUT_MS = 10_000

/** Node looks for requests past their time so often. */
const CHECKS_PER_BOUND = 6

/** For the answer to be read that says why: with unread bytes left, closing at once would make the client lose it. */
const LINGER_MS = 1000

/** Longer than the 60 s for which common load balancers keep an idle connection, so that they close it first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000

/** Below the lifecycle's bound of 25 s; no request but an escrow's or a check takes as long. */
const DRAIN_TIMEOUT_MS = 10_000

/** Makes the public HTTP server of an app. */
export function createApiServer(app: Koa, options: Options): ApiServer {
  const handle = app.callback()
  const { requestTimeoutMs } = options.connections
  let isStopping = false
  const answer = handleInTurn((request, response) => {
    if (isStopping) response.setHeader('Connection', 'close')
    void handle(request, response)
  })
  const headersTimeoutMs = Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs)
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: Math.ceil(headersTimeoutMs / CHECKS_PER_BOUND),
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      // What Node would refuse by itself it would not refuse in the Error shape.
      requireHostHeader: false,
    },
    answer,
  )
  server.on('checkExpectation', answer)
  server.on('clientError', answerUnparsed)
  const { silent } = boundConnections(server, options.connections)
  return {
    start: () => listen(server, options),
    stop: async () => {
      isStopping = true
      // Refused or reset is whoever comes after this: a balancer has read meanwhile that we are not ready.
      if (server.listening) await delay(options.drainMs)
      await drain(server, { silent, onStopping: options.onStopping })
    },
    requireServing: async () => {
      if (isStopping) throw new Error('asked to stop')
      if (!server.listening) throw new Error('not listening yet')
    },
  }
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

/**
 * Answers what is no HTTP, or did not come in time, and never reaches the app, in the Error shape too.
 *
 * The connection is destroyed: `end` closes our half alone, and a client that says nothing would keep the other.
 */
function answerUnparsed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  const failure = new AppError(
    'validation_error',
    'the request is not valid HTTP, too large in its headers, or too slow',
  )
  const body = JSON.stringify(presentError(failure))
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nRequest-Id: ${randomUUID()}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
