// Receives webhooks: WEBHOOK_SECRET=whsec_… PORT=4242 node docs/examples/webhook-receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'

const { WEBHOOK_SECRET = '', PORT = '4242' } = process.env
const TOLERANCE_SECONDS = 300
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

const server = createServer(async (request, response) => {
  const body = await buffer(request) // The very bytes: never parse and print them again.
  if (!isGenuine(request.headers['x-service-signature'] ?? '', body)) return response.writeHead(400).end()
  const { id, event, data } = JSON.parse(body)
  if (!handled.has(id)) console.log(event, data.id) // An event may come twice, with the same id.
  handled.add(id)
  response.writeHead(204).end() // Within 8 s; what takes longer goes to a queue of yours.
})
server.listen(PORT, '127.0.0.1')
