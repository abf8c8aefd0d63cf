import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/**
 * Below the ports that systems take for outgoing connections (Linux: from 32,768 on), of which there are thousands while
 * tests run: one of those would be taken again before its user listens.
 */
const RANGE = { from: 20_000, to: 32_000 }

const MAX_TRIES = 20

/**
 * Claims a free port on loopback for as long as this process lives, and returns it: the preferred one if it is free, else
 * any. No other caller of this function gets it meanwhile, in whichever process, also before its user listens.
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
 * Binds the UDP port of the same number, which nothing here uses: the system grants it to one process only, and takes it
 * back however that process ends. Two devnets that only looked took the same port, and one of them died.
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
