import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type Koa from 'koa'
import { AppError } from '../../shared/domain/errors.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { listen } from '../../shared/runtime/listen.ts'
import { limitConnections } from './limit-connections.ts'
import { presentError } from './middleware/error-response.ts'
import { handleInTurn } from './pipelined-requests.ts'

export type ApiServer = {
  /** Starts to listen, and returns the port. */
  readonly start: () => Promise<number>
  /**
   * Continues to serve for `drainMs`, and closes each connection after its next response. Then accepts no new
   * connection, waits at most ten seconds for requests in progress, and destroys the remaining connections.
   */
  readonly stop: () => Promise<void>
  /** Rejects before the server listens and once it is stopping, so that load balancers use another server. */
  readonly requireServing: () => Promise<void>
}

type Options = {
  readonly host: string
  /** 0 selects any free port. */
  readonly port: number
  readonly drainMs: number
  /**
   * Called once the server accepts no more connections. Must end the streams, because their responses would never
   * finish.
   */
  readonly onStopping: () => void
  readonly connections: ApiConfig['connections']
}

/** Timeout for the headers of a request, which fit into one or two packets. A body can take longer. */
const HEADERS_TIMEOUT_MS = 10_000

/** Number of times per headers timeout that Node checks for requests that have timed out. */
const CHECKS_PER_BOUND = 6

/** Time for the client to read the error, which is lost if the socket is destroyed while request bytes are unread. */
const LINGER_MS = 1000

/**
 * Time for which an idle connection is kept. Common load balancers close a connection after 60 s, and must close it
 * first.
 */
const KEEP_ALIVE_TIMEOUT_MS = 65_000

/**
 * Maximum time to finish requests in progress, below the lifecycle's limit of 25 s. Only escrow requests and checks can
 * take this long.
 */
const DRAIN_TIMEOUT_MS = 10_000

/** Creates the public HTTP server of an app. */
export function createApiServer(app: Koa, options: Options): ApiServer {
  const handle = app.callback()
  const { requestTimeoutMs } = options.connections
  let isStopping = false
  const respond = handleInTurn((request, response) => {
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
      // Node's own rejection would not have the Error shape.
      requireHostHeader: false,
    },
    respond,
  )
  server.on('checkExpectation', respond)
  server.on('clientError', rejectUnparsed)
  const silent = limitConnections(server, options.connections)
  return {
    start: () => listen(server, options),
    stop: async () => {
      isStopping = true
      // Load balancers need this time to detect that the server is not ready. After it, connections are refused or
      // reset.
      if (server.listening) await delay(options.drainMs)
      await drain(server, { silent, onStopping: options.onStopping })
    },
    requireServing: async () => {
      if (isStopping) throw new Error('the server is stopping')
      if (!server.listening) throw new Error('the server is not listening yet')
    },
  }
}

async function drain(
  server: Server,
  { silent, onStopping }: { silent: ReadonlySet<Socket>; onStopping: () => void },
): Promise<void> {
  if (!server.listening) return
  const closed = new Promise((resolve) => server.close(resolve))
  onStopping()
  for (const socket of silent) socket.destroy()
  // Without this, a connection that becomes idle after `close` would be kept alive.
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const timeout = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS)
  await closed
  clearInterval(idle)
  clearTimeout(timeout)
}

/**
 * Sends an error in the Error shape for a request that is not valid HTTP or timed out, and so never reaches the app.
 *
 * Destroys the connection after `LINGER_MS`, because `end` closes only our half and a silent client would keep the
 * other half open.
 */
function rejectUnparsed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  const failure = new AppError(
    'validation_error',
    'the request is not valid HTTP, its headers are too large, or it was too slow',
  )
  const body = JSON.stringify(presentError(failure))
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nRequest-Id: ${randomUUID()}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
