import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What happens to a request: answered, done and its answer lost, or never passed on. */
type Fate = 'pass' | 'lose-answer' | 'refuse'

/** A node of TRON behind a bad line. */
export type TronProxy = {
  readonly url: string
  /** Decides the fate of every request from now on, by its path. */
  readonly rule: (fateOf: (path: string) => Fate) => void
  readonly stop: () => Promise<void>
}

/** Starts a line to a node; at first everything passes. */
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
      return fate === 'pass' ? response.writeHead(answer.status).end(said) : response.destroy()
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
