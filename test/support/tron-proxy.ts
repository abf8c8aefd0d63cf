import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * How the proxy handles a request. With `lose-answer`, the node executes the request, and the proxy breaks the caller's
 * connection. With `refuse`, the proxy responds with 503.
 */
type Fate = 'pass' | 'lose-answer' | 'refuse' | Rewrite

/** Returns the changed response. Response and request are parsed JSON. */
type Rewrite = (answer: never, asked: never) => unknown

/** A TRON node behind an unreliable proxy. */
export type TronProxy = {
  readonly url: string
  /** Sets the rule for every later request, by its path. */
  readonly rule: (fateOf: (path: string) => Fate) => void
  readonly stop: () => Promise<void>
}

/** Starts a proxy in front of a node. At first it passes every request on. */
export async function startTronProxy(targetUrl: string): Promise<TronProxy> {
  let fateOf: (path: string) => Fate = () => 'pass'
  const server = createServer((request, response) => {
    const pass = async () => {
      const path = request.url ?? '/'
      const body = await text(request)
      const fate = fateOf(path)
      if (fate === 'refuse') return response.writeHead(503).end()
      const answer = await fetch(`${targetUrl}${path}`, { method: 'POST', body })
      const said = await answer.text()
      if (fate === 'lose-answer') return response.destroy()
      const told =
        fate === 'pass' ? said : JSON.stringify(fate(JSON.parse(said) as never, JSON.parse(body) as never))
      return response.writeHead(answer.status).end(told)
    }
    pass().catch(() => response.writeHead(502).end())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rule: (next) => {
      fateOf = next
    },
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
