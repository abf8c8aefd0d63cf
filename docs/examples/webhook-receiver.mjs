// Receives webhooks: WEBHOOK_SECRET=whsec_… PORT=4242 node docs/examples/webhook-receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { WEBHOOK_SECRET = '', PORT = '4242' } = process.env
// Anyone could sign with an empty secret.
if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(WEBHOOK_SECRET)) {
  console.error(
    'WEBHOOK_SECRET must be a whsec_… secret, as returned when the webhook was registered or its secret rotated',
  )
  process.exit(1)
}
const TOLERANCE_SECONDS = 300
const MAX_BODY_BYTES = 1024 * 1024 // An event contains a charge, which holds at most 96 KiB of your data.
const handled = new Set() // Store these ids in your database, in the same transaction as the effects of the event.

/** The header is `t=<seconds>,v1=<hex>[,v1=<hex>…]`, one `v1` per secret. During a rotation, one valid `v1` is enough. */
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

/** Returns the exact bytes of the body, which are signed; `null` if the body is too large. */
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

/** Processes a delivery, and returns the status of the response. */
async function receive(request) {
  const body = await readBody(request)
  if (body === null) return 413
  if (!isGenuine(request.headers['x-service-signature'] ?? '', body)) return 400
  const { id, event, data } = JSON.parse(body)
  if (!handled.has(id)) console.log(event, data.id) // An event can arrive twice, with the same id.
  handled.add(id)
  return 204
}

/** Responds. Reads on for five seconds if the body was too large, because an immediate reset would hide the response. */
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
    // The client has disconnected. The service retries a delivery without a response.
    console.error(error instanceof Error ? error.message : error)
    response.destroy()
  }
}

// The service retries a delivery that has no response after 8 s, so move longer work to a queue.
const server = createServer({ requestTimeout: 10_000 }, (request, response) => void handle(request, response))
server.listen(PORT, '127.0.0.1')
