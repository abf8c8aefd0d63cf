// Receives webhooks: WEBHOOK_SECRET=whsec_… PORT=4242 node docs/examples/webhook-receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { WEBHOOK_SECRET = '', PORT = '4242' } = process.env
// With an empty key anybody can sign.
if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(WEBHOOK_SECRET)) {
  console.error('WEBHOOK_SECRET must be the whsec_… that registering or rotating answered')
  process.exit(1)
}
const TOLERANCE_SECONDS = 300
const MAX_BODY_BYTES = 1024 * 1024 // An event is a charge, and a charge has at most 96 KiB of yours in it.
const handled = new Set() // In your database, written together with what the event makes you do.

/** `t=<seconds>,v1=<hex>[,v1=<hex>…]`, one `v1` per secret: during a rotation any that is right will do. */
function isGenuine(header, body) {
  const parts = header.split(',').map((part) => part.split('='))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= TOLERANCE_SECONDS)) return false
  const expected = createHmac('sha256', WEBHOOK_SECRET).update(`${time}.`).update(body).digest()
  return parts.some(([name, hex = '']) => {
    const given = Buffer.from(hex, 'hex')
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

/** The very bytes: never parse and print them again. `null` if there are too many. */
async function readBody(request) {
  const chunks = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Answers the status to answer with. */
async function receive(request) {
  const body = await readBody(request)
  if (body === null) return 413
  if (!isGenuine(request.headers['x-service-signature'] ?? '', body)) return 400
  const { id, event, data } = JSON.parse(body)
  if (!handled.has(id)) console.log(event, data.id) // An event may come twice, with the same id.
  handled.add(id)
  return 204
}

/** What comes of a body that is too long is dropped for five seconds: reset at once, its sender would not see why. */
function answer(request, response, status) {
  if (request.complete) return response.writeHead(status).end()
  response.writeHead(status, { connection: 'close', 'content-length': 0 }).flushHeaders()
  request.resume()
  setTimeout(() => response.destroy(), 5000)
}

async function handle(request, response) {
  try {
    answer(request, response, await receive(request))
  } catch (error) {
    // Whoever hung up hears nothing; the service sends again what was not answered.
    console.error(error instanceof Error ? error.message : error)
    response.destroy()
  }
}

// A request is answered within 8 s, or it is sent again; what takes longer goes to a queue of yours.
const server = createServer({ requestTimeout: 10_000 }, (request, response) => void handle(request, response))
server.listen(PORT, '127.0.0.1')
