import { connect as openSocket } from 'node:net'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { Charge, ConfirmationProgress } from '../../../api/charges/schema.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call, expectError } from '../../support/call-route.ts'
import { appendEvent, insertSeenTransfer, setHead } from '../../support/daemon-rows.ts'
import { createDatabaseLink } from '../../support/database-link.ts'
import { restartTestPostgres } from '../../support/postgres.ts'
import { type EventReader, readEvents } from '../../support/read-events.ts'

const CHARGE = { amount: 10, acceptedPayments: [{ token: 'USDC', network: 'base' }], expiresIn: 600 }

const ajv = new Ajv2020({ strict: true, allErrors: true })
const SCHEMAS: Readonly<Record<string, (data: unknown) => boolean>> = {
  charge: ajv.compile(Charge),
  confirmation_progress: ajv.compile(ConfirmationProgress),
}

/** Returns the data of all events of one type, and validates it against the type's schema. */
function dataOf(reader: EventReader, kind: string) {
  const events = reader.events.filter(({ event }) => event === kind)
  return events.map(({ data }) => {
    const value = JSON.parse(data)
    expect(SCHEMAS[kind]?.(value), data).to.equal(true)
    return value
  })
}

describe('GET /v1/charges/{id}/events', () => {
  let api: TestApi
  let key: string
  let keyId: string
  const readers: EventReader[] = []

  before(async () => {
    api = await startTestApi()
    ;({ key, id: keyId } = await api.issueKey())
  })
  afterEach(() => readers.splice(0).forEach((reader) => reader.close()))
  after(() => api.stop())

  const create = async (): Promise<string> =>
    (await call(api, 'POST /v1/charges', { key, body: CHARGE })).body.id
  const follow = async (id: string, withKey = key): Promise<EventReader> => {
    const reader = await readEvents(`${api.baseUrl}/v1/charges/${id}/events`, { key: withKey })
    readers.push(reader)
    return reader
  }
  const followed = async (id: string): Promise<EventReader> => {
    const reader = await follow(id)
    await reader.until('the first frame', ({ events }) => events.length > 0)
    return reader
  }
  const update = async (
    id: string,
    columns: Readonly<Record<string, unknown>>,
    type = 'charge.updated',
  ): Promise<number> => {
    await api.owner`update charges set ${api.owner(columns)} where id = ${id}`
    return appendEvent(api.owner, {
      type,
      category: type === 'charge.updated' ? 'internal' : 'payments',
      chargeId: id,
    })
  }
  const CONFIRMED = { status: 'confirmed', confirmed_at: new Date(), received_atto: '10', on_time_atto: '10' }

  it('starts with the current charge, and has headers that prevent buffering by proxies', async () => {
    const id = await create()
    const reader = await followed(id)
    expect(reader.status).to.equal(200)
    expect(reader.headers.get('content-type')).to.equal('text/event-stream; charset=utf-8')
    expect(reader.headers.get('cache-control')).to.contain('no-transform')
    expect(reader.headers.get('x-accel-buffering')).to.equal('no')
    expect(reader.headers.get('request-id')).to.be.a('string')
    const read = await call(api, `GET /v1/charges/${id}`, { key })
    const { paymentUnavailable, unavailablePayments, paymentOptions, payBySignature, ...lasting } = read.body
    expect([paymentUnavailable, unavailablePayments, payBySignature]).to.deep.equal([false, [], []])
    expect(paymentOptions).to.have.length(1)
    expect(dataOf(reader, 'charge'), 'the fields that change only with an event').to.deep.equal([lasting])
    expect(reader.events[0]?.id).to.match(/^[\w-]{16}$/)
  })

  it('sends every change once, with an opaque id, and ends the stream when the charge is final', async () => {
    const id = await create()
    const reader = await followed(id)
    const states: readonly object[] = [
      { received_atto: '1', on_time_atto: '1', status: 'partially_paid' },
      { received_atto: '2', on_time_atto: '2' },
      { ...CONFIRMED, settlement_status: 'pending' },
      { settlement_status: 'completed', settled_at: new Date() },
    ]
    for (const [index, columns] of states.entries()) {
      await update(id, columns as Record<string, unknown>)
      await reader.until(`state ${index}`, ({ events }) => events.length === index + 2)
    }
    expect(
      dataOf(reader, 'charge').map(({ status, amountReceived, settlementStatus }) => [
        status,
        amountReceived,
        settlementStatus,
      ]),
    ).to.deep.equal([
      ['pending', null, null],
      ['partially_paid', 1e-18, null],
      ['partially_paid', 2e-18, null],
      ['confirmed', 1e-17, 'pending'],
      ['confirmed', 1e-17, 'completed'],
    ])
    await reader.until('the end', ({ isEnded }) => isEnded())
    const ids = reader.events.map((event) => event.id)
    expect(new Set(ids).size).to.equal(5)
    expect(ids.filter((id) => !/^[\w-]{16}$/.test(id))).to.deep.equal([])
  })

  const finals: readonly (readonly [title: string, columns: Readonly<Record<string, unknown>>])[] = [
    ['expired', { status: 'expired' }],
    ['confirmed and paid out', { ...CONFIRMED, settlement_status: 'completed', settled_at: new Date() }],
    ['underpaid with a failed payout', { status: 'underpaid', settlement_status: 'failed' }],
    ['refunded', { escrow_releaser: `0x${'1'.repeat(40)}`, escrow_refunded_at: new Date() }],
  ]
  for (const [title, columns] of finals) {
    it(`sends one charge event for a charge that is ${title}, then ends`, async () => {
      const id = await create()
      await api.owner`update charges set ${api.owner(columns)} where id = ${id}`
      const reader = await follow(id)
      await reader.until('the end', ({ isEnded }) => isEnded())
      expect(dataOf(reader, 'charge')).to.have.length(1)
    })
  }

  it('returns 204 to a client with the final event’s id, until the charge changes again', async () => {
    const id = await create()
    await api.owner`update charges set status = 'underpaid', settlement_status = 'failed' where id = ${id}`
    const url = `${api.baseUrl}/v1/charges/${id}/events`
    const comeBack = (lastEventId: string) =>
      readEvents(url, { key, headers: { 'last-event-id': lastEventId } })
    const first = await follow(id)
    await first.until('the end', ({ isEnded }) => isEnded())
    const again = await comeBack(first.lastEventId())
    expect(again.status).to.equal(204)
    for (const other of ['', 'x', '1', api.hub.ids.ofEvent(1)])
      expect((await comeBack(other)).status, other).to.equal(200)
    await api.owner`
      update charges set settlement_status = 'completed', settled_at = now() where id = ${id}`
    const later = await comeBack(first.lastEventId())
    await later.until('the end', ({ isEnded }) => isEnded())
    expect(dataOf(later, 'charge').map(({ settlementStatus }) => settlementStatus)).to.deep.equal([
      'completed',
    ])
    expect((await comeBack(later.lastEventId())).status).to.equal(204)
  })

  it('does not return 204 before the charge is final', async () => {
    const id = await create()
    const reader = await followed(id)
    const again = await readEvents(`${api.baseUrl}/v1/charges/${id}/events`, {
      key,
      headers: { 'last-event-id': reader.lastEventId() },
    })
    readers.push(again)
    expect(again.status).to.equal(200)
  })

  it('sends metadata with line breaks on one line', async () => {
    const text = JSON.stringify({ ...CHARGE, metadata: 0 }).replace(
      '"metadata":0',
      '"metadata":{\n"a":\r\n1\r}',
    )
    const { body } = await call(api, 'POST /v1/charges', { key, text })
    const reader = await followed(body.id)
    expect(dataOf(reader, 'charge')[0].metadata).to.deep.equal({ a: 1 })
    expect(reader.events[0]?.data).not.to.include('\n')
  })

  it('sends each number of confirmations at most once, and at most 99 percent until the charge is credited', async () => {
    const id = await create()
    const other = await create()
    await setHead(api.owner, 8453, 100)
    const [reader, unpaid] = [await followed(id), await followed(other)]
    await insertSeenTransfer(api.owner, { chargeId: id, blockNumber: 100, txHash: '0xa1' })
    for (const head of [100, 105, 105, 111]) await setHead(api.owner, 8453, head)
    await reader.until('12 blocks', () => dataOf(reader, 'confirmation_progress').at(-1)?.blocksSeen === 12)
    const told = dataOf(reader, 'confirmation_progress')
    expect(
      new Set(told.map(({ blocksSeen }) => blocksSeen)).size,
      'each number of confirmations is sent only once',
    ).to.equal(told.length)
    expect(told.at(-1)).to.deep.equal({ network: 'base', blocksSeen: 12, blocksRequired: 12, percent: 99 })

    await api.owner`update transfers set credited_at = now(), agreed_at = now(), agreed_by = '{one,two}' where charge_id = ${id}`
    await update(id, CONFIRMED, 'charge.confirmed')
    await reader.until('the charge', () => dataOf(reader, 'charge').length === 2)
    expect(reader.events.at(-1)?.event).to.equal('charge')
    expect(dataOf(unpaid, 'confirmation_progress')).to.deep.equal([])
  })

  it('starts with the charge and then its progress if a transfer is already pending', async () => {
    const id = await create()
    await setHead(api.owner, 8453, 200)
    await insertSeenTransfer(api.owner, { chargeId: id, blockNumber: 198, txHash: '0xb1' })
    const reader = await follow(id)
    await reader.until('both frames', ({ events }) => events.length === 2)
    expect(reader.events.map(({ event }) => event)).to.deep.equal(['charge', 'confirmation_progress'])
    expect(dataOf(reader, 'confirmation_progress')).to.deep.equal([
      { network: 'base', blocksSeen: 3, blocksRequired: 12, percent: 25 },
    ])
  })

  it('sends a change that no database notification announced', async () => {
    const id = await create()
    const reader = await followed(id)
    await api.owner`update charges set status = 'expired' where id = ${id}`
    await api.owner`
      with counter as (update event_sequence set last_seq = last_seq + 1 returning last_seq)
      insert into events (id, seq, category, type, environment, charge_id, data, created_at)
      select 'evt_silent', last_seq, 'payments', 'charge.expired', 'live', ${id}, '{}', now() from counter`
    await reader.until('the end', ({ isEnded }) => isEnded())
    expect(dataOf(reader, 'charge').at(-1).status).to.equal('expired')
  })

  it('sends nothing for webhook deliveries or other charges', async () => {
    const id = await create()
    const reader = await followed(id)
    await appendEvent(api.owner, { type: 'webhook.delivery_failed', category: 'webhooks', chargeId: id })
    await update(await create(), { status: 'expired' }, 'charge.expired')
    await update(id, { received_atto: '1', on_time_atto: '1', status: 'partially_paid' })
    await reader.until('the change', ({ events }) => events.length >= 2)
    expect(dataOf(reader, 'charge').map(({ status }) => status)).to.deep.equal(['pending', 'partially_paid'])
  })

  it('returns 404 for a charge of another organization', async () => {
    const id = await create()
    const foreign = await api.issueKey({ organization: 'org_two' })
    expectError(await call(api, `GET /v1/charges/${id}/events`, { key: foreign.key }), '404 charge_not_found')
  })

  it('allows 20 open streams per key across all endpoints', async () => {
    const { key: busy } = await api.issueKey({ scopes: ['charges:read', 'webhooks:read'] })
    const id = await create()
    const open = await Promise.all(Array.from({ length: 19 }, () => follow(id, busy)))
    const feed = await readEvents(`${api.baseUrl}/v1/distributions/pending/events`, { key: busy })
    readers.push(feed)
    for (const path of [`charges/${id}/events`, 'distributions/pending/events', 'webhooks/listen']) {
      const over = await call(api, `GET /v1/${path}`, { key: busy })
      expectError(over, '503 sse_capacity')
      expect(Number(over.headers.get('retry-after'))).to.be.above(0)
    }
    expect((await follow(id)).status, 'another key').to.equal(200)
    open[0]?.close()
    await waitFor(async () => (await follow(id, busy)).status === 200, {
      what: 'a free stream',
      timeoutMs: 60_000,
    })
  })

  it('ends the streams of a revoked key, but not of another key', async () => {
    const id = await create()
    const revoked = await api.issueKey()
    const [theirs, ours] = [await follow(id, revoked.key), await followed(id)]
    await api.owner`update api_keys set revoked_at = now() where id = ${revoked.id}`
    await theirs.until('the end', ({ isEnded }) => isEnded())
    expect(ours.isEnded()).to.equal(false)
    expect(keyId).not.to.equal(revoked.id)
  })

  it('skips states that a slow client did not read, and later sends the newest state', async () => {
    const id = await create()
    const { port, pathname } = new URL(`${api.baseUrl}/v1/charges/${id}/events`)
    const socket = openSocket(Number(port), '127.0.0.1')
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    socket.pause()
    const witness = await followed(id)
    const padding = 'x'.repeat(200_000)
    for (let turn = 1; turn <= 60; turn += 1) {
      await update(id, { metadata: `{"padding":"${padding}"}`, received_atto: String(turn) })
      await witness.until(`turn ${turn}`, ({ events }) => events.length > turn)
    }
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    socket.resume()
    await waitFor(() => text.includes('"amountReceivedExact":"0.00000000000000006"'), {
      what: 'the newest event',
      timeoutMs: 60_000,
    })
    expect(text.split('event: charge').length - 1, 'frames').to.be.below(60)
    socket.destroy()
  })
})

describe('metrics of streams', () => {
  it('count open streams, and rejected streams by the limit that rejected them', async () => {
    const api = await startTestApi({ STREAMS_PER_KEY: '2' })
    const { key } = await api.issueKey()
    const open = () => readEvents(`${api.baseUrl}/v1/distributions/pending/events`, { key })
    const [first] = [await open(), await open()]
    expect(await api.metrics.metrics()).to.match(/^http_open_streams\{.*\} 2$/m)
    expectError(await call(api, 'GET /v1/distributions/pending/events', { key }), '503 sse_capacity')
    expect(await api.metrics.metrics()).to.match(/^http_streams_rejected_total\{limit="key".*\} 1$/m)
    first?.close()
    await waitFor(async () => /^http_open_streams\{.*\} 1$/m.test(await api.metrics.metrics()), {
      what: 'the metric to show the closed stream',
      timeoutMs: 60_000,
    })
    await api.stop()
  })
})

describe('a stream of events', () => {
  it('sends heartbeats, and ends at its maximum age', async () => {
    const api = await startTestApi({}, (config) => ({
      ...config,
      streams: { ...config.streams, heartbeatMs: 20, maxDurationMs: 3_000 },
    }))
    const { key } = await api.issueKey()
    const reader = await readEvents(`${api.baseUrl}/v1/distributions/pending/events`, { key })
    await reader.until('a heartbeat', ({ comments }) => comments.length > 0)
    await reader.until('the end', ({ isEnded }) => isEnded())
    expect(reader.comments.every((comment) => comment === ': heartbeat')).to.equal(true)
    await api.stop()
  })

  it('ends when the API shuts down, and no new stream can be opened', async () => {
    const api = await startTestApi()
    const { key } = await api.issueKey()
    const reader = await readEvents(`${api.baseUrl}/v1/distributions/pending/events`, { key })
    api.hub.endStreams()
    await reader.until('the end', ({ isEnded }) => isEnded())
    expectError(await call(api, 'GET /v1/distributions/pending/events', { key }), '503 sse_capacity')
    await api.stop()
  })

  it('continues after a database outage and sends missed changes', async () => {
    const link = await createDatabaseLink()
    const api = await startTestApi({}, (config) => ({
      ...config,
      databaseUrl: link.through(config.databaseUrl),
    }))
    const { key } = await api.issueKey()
    const { body } = await call(api, 'POST /v1/charges', { key, body: CHARGE })
    const reader = await readEvents(`${api.baseUrl}/v1/charges/${body.id}/events`, { key })
    await reader.until('the first frame', ({ events }) => events.length === 1)
    await link.cut()
    await api.owner`update charges set status = 'expired' where id = ${body.id}`
    await appendEvent(api.owner, { type: 'charge.expired', category: 'payments', chargeId: body.id })
    await waitFor(() => api.errors.length > 0, { what: 'a failed turn', timeoutMs: 60_000 })
    expect(reader.isEnded()).to.equal(false)
    await link.mend()
    await reader.until('the end', ({ isEnded }) => isEnded())
    expect(dataOf(reader, 'charge').at(-1).status).to.equal('expired')
    await api.stop()
    await link.cut()
  }).timeout(240_000)

  it('sends a charge even if its event could not be read for webhook listeners', async () => {
    const api = await startTestApi()
    const { key } = await api.issueKey({ scopes: ['charges:read', 'charges:write', 'webhooks:read'] })
    const { body } = await call(api, 'POST /v1/charges', { key, body: CHARGE })
    const listener = await readEvents(`${api.baseUrl}/v1/webhooks/listen`, { key })
    const reader = await readEvents(`${api.baseUrl}/v1/charges/${body.id}/events`, { key })
    await reader.until('the first frame', ({ events }) => events.length === 1)
    // The hub reads an event's charge id first, and the organization in a later statement, which fails here.
    await api.owner`revoke select on events from svc_api`
    await api.owner`grant select (seq, category, environment, charge_id, data) on events to svc_api`
    await api.owner`update charges set status = 'expired' where id = ${body.id}`
    await appendEvent(api.owner, {
      type: 'charge.expired',
      category: 'payments',
      organizationId: 'org_one',
      chargeId: body.id,
    })
    await waitFor(() => api.errors.length > 0, { what: 'a failed turn', timeoutMs: 60_000 })
    await api.owner`grant select on events to svc_api`
    await reader.until('the end', ({ isEnded }) => isEnded())
    expect(dataOf(reader, 'charge').at(-1).status).to.equal('expired')
    await listener.until('the event', ({ events }) => events.length > 1)
    expect(listener.events.map(({ event }) => event)).to.deep.equal(['ready', 'charge.expired'])
    listener.close()
    await api.stop()
  }).timeout(240_000)

  it('survives a restart of PostgreSQL, and ends with a final state that no notification announced', async () => {
    const api = await startTestApi()
    const { key } = await api.issueKey()
    const { body } = await call(api, 'POST /v1/charges', { key, body: CHARGE })
    const reader = await readEvents(`${api.baseUrl}/v1/charges/${body.id}/events`, { key })
    await reader.until('the first frame', ({ events }) => events.length === 1)
    await restartTestPostgres(async () => {
      await waitFor(() => api.errors.length > 0, { what: 'a failed turn', timeoutMs: 60_000 })
    })
    // One statement changes the charge and appends a numbered event. It sends no notification.
    await api.owner`
      with moved as (update charges set status = 'expired' where id = ${body.id} returning id),
        counter as (update event_sequence set last_seq = last_seq + 1 returning last_seq)
      insert into events (id, seq, category, type, environment, charge_id, data, created_at)
      select 'evt_restart', last_seq, 'payments', 'charge.expired', 'live', moved.id, '{}', now() from counter, moved`
    await reader.until('the end', ({ isEnded }) => isEnded())
    expect(dataOf(reader, 'charge').map(({ status }) => status)).to.deep.equal(['pending', 'expired'])
    await api.stop()
  }).timeout(240_000)

  it('sends the current state to a client that reconnects, regardless of earlier events', async () => {
    const api = await startTestApi()
    const { key } = await api.issueKey()
    const { body } = await call(api, 'POST /v1/charges', { key, body: CHARGE })
    const url = `${api.baseUrl}/v1/charges/${body.id}/events`
    const first = await readEvents(url, { key })
    await first.until('the first frame', ({ events }) => events.length === 1)
    first.close()
    await api.owner`
      update charges set status = 'partially_paid', received_atto = 1, on_time_atto = 1 where id = ${body.id}`
    const again = await readEvents(url, {
      key,
      headers: { 'last-event-id': first.events[0]?.id ?? '' },
    })
    await again.until('the first frame', ({ events }) => events.length === 1)
    expect(dataOf(again, 'charge')[0]).to.deep.include({ status: 'partially_paid' })
    again.close()
    await api.stop()
  })
})
