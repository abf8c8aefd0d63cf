import { createServer } from 'node:net'

/**
 * Answers a port on loopback that was free a moment ago: the preferred one if it was, else any.
 *
 * Another process may take it before its user listens; that start then fails and says so.
 */
export async function freePort(preferred = 0): Promise<number> {
  return (await tryPort(preferred)) ?? (await tryPort(0)) ?? fail()
}

function tryPort(port: number): Promise<number | null> {
  const server = createServer()
  return new Promise((done) => {
    server.once('error', () => done(null))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => done(address !== null && typeof address === 'object' ? address.port : null))
    })
  })
}

function fail(): never {
  throw new Error('no free port on 127.0.0.1')
}
