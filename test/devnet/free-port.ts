import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below the ports that systems take for outgoing connections (Linux: from 32,768 on), of which there are thousands while
 * tests run: one of those would be taken again before its user listens.
 */
const RANGE = { from: 20_000, to: 32_000 }

const MAX_TRIES = 20

/**
 * Answers a port on loopback that was free a moment ago: the preferred one if it was, else any.
 *
 * Another process may take it before its user listens; that start then fails and says so.
 */
export async function freePort(preferred = 0): Promise<number> {
  if (preferred !== 0 && (await isFree(preferred))) return preferred
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = randomInt(RANGE.from, RANGE.to)
    if (await isFree(port)) return port
  }
  throw new Error(`no free port on 127.0.0.1: tried ${MAX_TRIES} from ${RANGE.from} to ${RANGE.to}`)
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((done) => {
    server.once('error', () => done(false))
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)))
  })
}
