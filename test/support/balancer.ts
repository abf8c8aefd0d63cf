import { createServer, type IncomingMessage, request as requestFrom, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Service } from '../devnet/service.ts'

/** A load balancer for several APIs with the behaviour that docs/upgrades.md requires. */
export type Balancer = {
  /** URL that clients use instead of an API's. */
  readonly url: string
  /** Number of forwarded requests, by the API's name. */
  readonly passed: ReadonlyMap<string, number>
  /** Returns the number of refused connections. After each refusal, the request went to the next API, if any. */
  readonly refusedCount: () => number
  readonly stop: () => Promise<void>
}

type Api = Pick<Service, 'name' | 'url' | 'internalUrl'>

const CHECK_EVERY_MS = 250

/**
 * Starts the balancer. It checks every 250 ms whether each API is ready, distributes requests among the ready APIs in
 * rotation, and opens a connection per request. If an API refuses the connection, no byte of the request was sent, so
 * the balancer tries the next API, and unready APIs last. It reports any other failure to the client.
 */
export async function startBalancer(apis: readonly Api[]): Promise<Balancer> {
  const ready = new Set(apis)
  const passed = new Map(apis.map(({ name }) => [name, 0]))
  let refused = 0
  let turn = 0
  const check = async (api: Api) => {
    const answer = await fetch(`${api.internalUrl}/readyz`, { signal: AbortSignal.timeout(1000) }).catch(
      () => null,
    )
    await answer?.body?.cancel()
    if (answer?.ok === true) ready.add(api)
    else ready.delete(api)
  }
  const checks = setInterval(() => void Promise.all(apis.map(check)), CHECK_EVERY_MS)
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request)
    turn += 1
    const inTurn = apis
      .map((_, index) => apis[(turn + index) % apis.length])
      .filter((api) => api !== undefined)
    const order = inTurn.toSorted((left, right) => Number(ready.has(right)) - Number(ready.has(left)))
    for (const api of order) {
      const isTaken = await forward(request, { response, body, url: api.url })
      if (isTaken) return void passed.set(api.name, (passed.get(api.name) ?? 0) + 1)
      refused += 1
    }
    response.writeHead(502).end('no API accepts connections')
  }
  // Longer than the timeout in the API's keep-alive header, which the balancer forwards. Otherwise a client would use
  // a connection that is being closed.
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    void pass(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    refusedCount: () => refused,
    stop: async () => {
      clearInterval(checks)
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/**
 * Forwards a request. Returns `false` only if the API refused the connection. If the client or the API closes its
 * connection, the other connection is closed as well.
 */
function forward(
  request: IncomingMessage,
  to: { readonly response: ServerResponse; readonly body: Buffer; readonly url: string },
): Promise<boolean> {
  const { method, headers, url = '' } = request
  const { response, body } = to
  return new Promise((resolve) => {
    const upstream = requestFrom(new URL(url, to.url), { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, connection: 'keep-alive' })
      answer.pipe(response)
      answer.once('error', () => response.destroy())
      resolve(true)
    })
    upstream.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') return resolve(false)
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end(`${error.code}: ${error.message}`)
      resolve(true)
    })
    response.once('close', () => upstream.destroy())
    upstream.end(body)
  })
}
