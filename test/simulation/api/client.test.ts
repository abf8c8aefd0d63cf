import { expect } from 'chai'
import { createScheduler } from '../engine/scheduler.ts'
import { ORGANIZATIONS } from '../world.ts'
import { type Call, createClient } from './client.ts'
import type { HttpRequest, HttpResponse } from './handle-request.ts'

describe('the client of a simulated merchant', () => {
  it('repeats the same request until it succeeds', async () => {
    const { sent, end } = await insist([null, response(503), response(201)])
    expect(end?.status).to.equal(201)
    expect(sent.length).to.be.at.least(3)
    expect(new Set(sent.map((request) => JSON.stringify(request))).size).to.equal(1)
  })

  it('records only the responses that arrive', async () => {
    const { client } = await insist([null, response(503), response(201)])
    const statuses = new Set(client.exchanges.map(({ status }) => status))
    expect([...statuses]).to.have.members([503, 201])
    expect(client.waiting.size).to.equal(0)
  })

  it('does not record a refund as a charge', async () => {
    const body = JSON.stringify({ id: 'rf_1', status: 'awaiting_destination' })
    const { client } = await insist([{ status: 201, headers: {}, body }])
    expect(client.exchanges.flatMap(({ charges }) => charges)).to.deep.equal([])
  })

  it('accepts a rejection immediately if every attempt received a response', async () => {
    const { end, elapsedMs } = await insist([response(422)])
    expect(end?.status).to.equal(422)
    expect(elapsedMs).to.be.below(1_000)
  })

  it('accepts a rejection after a lost response only once the API can no longer be processing that attempt', async () => {
    const { end, elapsedMs } = await insist([null, response(422)])
    expect(end?.status).to.equal(422)
    expect(elapsedMs).to.be.above(50_000)
  })
})

type Response = HttpResponse | null

/** Sends a request to an API that returns these responses in order, and then repeats the last response. */
async function insist(responses: readonly [Response, ...Response[]]) {
  const scheduler = createScheduler({ seed: 1, startMs: 0 })
  const sent: HttpRequest[] = []
  const send = (request: HttpRequest) => {
    sent.push(request)
    return Promise.resolve(responses[Math.min(sent.length, responses.length) - 1] ?? null)
  }
  const client = createClient({ scheduler, send })
  let end: HttpResponse | null = null
  let elapsedMs = 0
  void client.insist(CALL).then((last) => {
    end = last
    elapsedMs = scheduler.nowMs()
  })
  await scheduler.run(200_000)
  return { client, sent, end: end as Response, elapsedMs }
}

const [organization] = ORGANIZATIONS
if (organization === undefined) throw new Error('the world must have a merchant')
const CALL: Call = { organization, method: 'POST', path: '/v1/charges', body: '{}' }

function response(status: number): HttpResponse {
  const body = status < 300 ? { id: 'ch_1', status: 'pending' } : { error: { code: 'service_unavailable' } }
  return { status, headers: {}, body: JSON.stringify(body) }
}
