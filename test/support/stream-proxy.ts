import { createServer, type IncomingMessage, request as requestFrom, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy between a payer's page and the service that can cut streams. It always passes other requests on. */
export type StreamProxy = {
  /** Origin that the page uses instead of the service's. */
  readonly origin: string
  /** Closes every stream, and holds new stream requests back. */
  readonly cut: () => void
  /** Passes on the held stream requests and all later requests. */
  readonly mend: () => void
  /** Returns the number of streams that were closed or held back. */
  readonly stoppedCount: () => number
  readonly stop: () => Promise<void>
}

/** Starts the proxy in front of the service at this URL. */
export async function startStreamProxy(targetUrl: string): Promise<StreamProxy> {
  const open = new Set<ServerResponse>()
  let held: (() => void)[] = []
  let isCut = false
  let stopped = 0
  const server = createServer((request, response) => {
    const isStream = request.url?.split('?')[0]?.endsWith('/events') === true
    const pass = () => forward(request, response, targetUrl)
    if (!isStream) return pass()
    open.add(response)
    response.once('close', () => open.delete(response))
    if (!isCut) return pass()
    stopped += 1
    held.push(pass)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    cut: () => {
      isCut = true
      stopped += open.size
      for (const response of open) response.destroy()
    },
    mend: () => {
      isCut = false
      for (const pass of held) pass()
      held = []
    },
    stoppedCount: () => stopped,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Forwards a request. When either side closes its connection, the other side's connection is closed as well. */
function forward(request: IncomingMessage, response: ServerResponse, targetUrl: string): void {
  const { method, headers, url = '' } = request
  const upstream = requestFrom(new URL(url, targetUrl), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
    answer.once('error', () => response.destroy())
  })
  upstream.once('error', () => response.destroy())
  response.once('close', () => upstream.destroy())
  request.pipe(upstream)
}
