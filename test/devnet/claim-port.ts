import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/**
 * Ports to choose from. They are below the ports for outgoing connections (on Linux from 32,768), because tests open
 * thousands of such connections, which could take a claimed port before its user listens.
 */
const RANGE = { from: 20_000, to: 32_000 }

const MAX_TRIES = 20

/**
 * Claims a port on loopback for the lifetime of this process: the preferred port if it is free, otherwise a random
 * port. No other call of this function in any process returns the port, even before its user listens.
 *
 * @throws {Error} if none of 20 random ports is free
 */
export async function claimPort(preferred = 0): Promise<number> {
  if (preferred !== 0 && (await claim(preferred))) return preferred
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = randomInt(RANGE.from, RANGE.to)
    if (await claim(port)) return port
  }
  throw new Error(`no free port on 127.0.0.1: tried ${MAX_TRIES} from ${RANGE.from} to ${RANGE.to}`)
}

/**
 * Binds the UDP port with the same number, which no program here uses. The system grants it to only one process, and
 * releases it however that process ends. Without this, two devnets could find the same port free, and one would fail.
 */
async function claim(port: number): Promise<boolean> {
  const token = createSocket('udp4')
  const isOurs = await new Promise<boolean>((done) => {
    token.once('error', () => done(false))
    token.bind({ port, address: '127.0.0.1', exclusive: true }, () => done(true))
  })
  if (isOurs && (await isFree(port))) {
    token.unref()
    return true
  }
  token.close()
  return false
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((done) => {
    server.once('error', () => done(false))
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)))
  })
}
