import { expect } from 'chai'
import { listDeliveries } from '../../../api/webhooks/list-deliveries.ts'
import { processWebhookRequests } from '../../../indexer/webhooks/process-requests.ts'
import { createSealKeys, createUnseal } from '../../../shared/domain/sealed-box.ts'
import { createLogger } from '../../../shared/runtime/logger.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call, expectError } from '../../support/call-route.ts'
import { appendEvent } from '../../support/daemon-rows.ts'
import { connectForTest } from '../../support/postgres.ts'
import { type EventReader, readEvents } from '../../support/read-events.ts'

const SCOPES = ['webhooks:read', 'webhooks:write', 'webhooks:manage_secret'] as const
const URL_OF_HOOK = 'https://93.184.216.34/hook'

describe('webhooks over HTTP', () => {
  const keys = createSealKeys()
  let api: TestApi
  /** Each test has its own organization. */
  let organization: string
  const unseal = createUnseal([keys.privateKey])
  let organizations = 0
  let key: string
  /** Key of another organization. */
  let stranger: string
  /** Key of the same organization, in the other environment. */
  let testKey: string
  const readers: EventReader[] = []

  before(async () => {
    api = await startTestApi({ WEBHOOK_SEAL_PUBLIC_KEY: keys.publicKey.toString('base64') })
  })

  beforeEach(async () => {
    organizations += 1
    organization = `org_${organizations}`
    ;({ key } = await api.issueKey({ organization, scopes: SCOPES }))
    ;({ key: stranger } = await api.issueKey({ organization: 'org_other', scopes: SCOPES }))
    ;({ key: testKey } = await api.issueKey({ organization, environment: 'test', scopes: SCOPES }))
  })

  afterEach(() => readers.splice(0).forEach((reader) => reader.close()))

  after(() => api.stop())

  describe('POST /v1/webhooks', () => {
    it('returns the webhook with its secret, in the environment of the key', async () => {
      const answer = await register({ events: ['charge.confirmed'], excludeEvents: ['charge.created'] })
      expect(answer.status).to.equal(201)
      expect(answer.body).to.deep.include({
        url: URL_OF_HOOK,
        events: ['charge.confirmed'],
        eventCategories: [],
        excludeEvents: ['charge.created'],
        environment: 'live',
      })
      expect(Object.keys(answer.body)).to.have.members([
        ...['id', 'url', 'events', 'eventCategories', 'excludeEvents', 'environment', 'createdAt', 'secret'],
      ])
    })

    it('seals the secret with the daemon’s key, and does not store it in plain text', async () => {
      const { body } = await register()
      const [row] = await api.owner<{ secretSealed: Buffer; text: string }[]>`
        select secret_sealed, webhooks::text as text from webhooks where organization_id = ${organization}`
      expect(unseal(row?.secretSealed ?? Buffer.alloc(0))).to.equal(body.secret)
      expect(row?.text).not.to.contain(body.secret.slice(12))
    })

    it('stores a repeated event or category once', async () => {
      const { body } = await register({ events: ['*', '*'], eventCategories: ['payments', 'payments'] })
      expect(body).to.deep.include({ events: ['*'], eventCategories: ['payments'] })
    })

    for (const [reason, body, param] of [
      ['a missing URL', { events: ['*'] }, 'url'],
      ['a URL that is not a string', { url: 7, events: ['*'] }, 'url'],
      ['an unknown event', { url: URL_OF_HOOK, events: ['charge.paid'] }, 'events[0]'],
      ['an internal event', { url: URL_OF_HOOK, events: ['webhook.test'] }, 'events[0]'],
      ['an unknown category', { url: URL_OF_HOOK, eventCategories: ['internal'] }, 'eventCategories[0]'],
      [
        '* among the excluded events',
        { url: URL_OF_HOOK, events: ['*'], excludeEvents: ['*'] },
        'excludeEvents[0]',
      ],
      ['no events', { url: URL_OF_HOOK }, 'events'],
      ['empty lists', { url: URL_OF_HOOK, events: [], eventCategories: [] }, 'events'],
      ['an unknown field', { url: URL_OF_HOOK, events: ['*'], secret: 'mine' }, 'secret'],
    ] as const) {
      it(`rejects ${reason}`, async () => {
        expectError(await call(api, 'POST /v1/webhooks', { key, body }), '400 validation_error', param)
      })
    }

    it('allows twenty active webhooks per organization, in both environments together', async () => {
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, n) => register({}, n % 2 === 0 ? key : testKey)),
      )
      expect(answers.filter(({ status }) => status === 201)).to.have.length(20)
      const refused = answers.find(({ status }) => status !== 201)
      if (refused) expectError(refused, '422 webhook_limit_reached')
      const { body } = await list()
      await call(api, `DELETE /v1/webhooks/${body[0].id}`, { key })
      expect((await register()).status).to.equal(201)
      expect((await register({}, stranger)).status).to.equal(201)
    })
  })

  it('returns 503 service_unavailable for a registration if webhooks are not configured', async () => {
    const bare = await startTestApi()
    const { key: other } = await bare.issueKey({ scopes: SCOPES })
    const body = { url: URL_OF_HOOK, events: ['*'] }
    expectError(await call(bare, 'POST /v1/webhooks', { key: other, body }), '503 service_unavailable')
    await bare.stop()
  })

  describe('GET /v1/webhooks', () => {
    it('lists the webhooks that cover the key’s environment, newest first, with a hint for each secret', async () => {
      const first = await register()
      const second = await register()
      await register({}, testKey)
      await register({}, stranger)
      await api.owner`update webhooks set environment = null where id = ${first.body.id}`
      const { body } = await list()
      expect(body.map(({ id }: { id: string }) => id)).to.deep.equal([second.body.id, first.body.id])
      expect(body[0].hint).to.equal(`${second.body.secret.slice(0, 10)}…`)
      expect(body[1].environment).to.equal(null)
      expect(JSON.stringify(body)).not.to.contain(second.body.secret)
    })
  })

  describe('DELETE /v1/webhooks/{id}', () => {
    it('returns 204, then 404, and keeps the deliveries readable', async () => {
      const { body } = await register()
      await append('charge.confirmed')
      expect((await call(api, `DELETE /v1/webhooks/${body.id}`, { key })).status).to.equal(204)
      expectError(await call(api, `DELETE /v1/webhooks/${body.id}`, { key }), '404 webhook_not_found')
      expect((await list()).body).to.deep.equal([])
      const deliveries = await call(api, `GET /v1/webhooks/${body.id}/deliveries`, { key })
      expect(deliveries.body.data[0]).to.deep.include({ status: 'failed', nextRetryAt: null })
      const path = `/v1/webhooks/${body.id}/deliveries/${deliveries.body.data[0].id}/retry`
      expectError(await call(api, `POST ${path}`, { key }), '404 webhook_not_found')
    })

    it('retries after a deadlock', async () => {
      const { body } = await register()
      await api.owner.unsafe(`
        create sequence deletions;
        create function lose_first() returns trigger language plpgsql security definer as $$
          begin
            if nextval('public.deletions') = 1 then raise 'deadlock detected' using errcode = '40P01'; end if;
            return new;
          end $$;
        create trigger lose_first before update on webhooks for each row execute function lose_first()`)
      const { status } = await call(api, `DELETE /v1/webhooks/${body.id}`, { key })
      await api.owner.unsafe('drop function lose_first cascade; drop sequence deletions')
      expect(status).to.equal(204)
    })
  })

  describe('GET /v1/webhooks/{id}/deliveries', () => {
    it('pages through the deliveries, newest first', async () => {
      const { body } = await register()
      for (const type of ['charge.partially_paid', 'charge.confirmed', 'charge.settled']) await append(type)
      const first = await call(api, `GET /v1/webhooks/${body.id}/deliveries?limit=2`, { key })
      expect(first.body.data.map(({ event }: { event: string }) => event)).to.deep.equal([
        'charge.settled',
        'charge.confirmed',
      ])
      expect(first.body.data[0]).to.deep.include({
        status: 'pending',
        attempts: 0,
        responseCode: null,
        deliveredAt: null,
      })
      expect(first.body.hasMore).to.equal(true)
      const next = `limit=2&cursor=${first.body.nextCursor}`
      const second = await call(api, `GET /v1/webhooks/${body.id}/deliveries?${next}`, { key })
      expect(second.body).to.deep.include({ hasMore: false, nextCursor: null })
      expect(second.body.data.map(({ event }: { event: string }) => event)).to.deep.equal([
        'charge.partially_paid',
      ])
    })

    it('rejects the cursor of another webhook', async () => {
      const [one, other] = [await register(), await register()]
      for (let n = 0; n < 2; n += 1) await append('charge.confirmed')
      const { body } = await call(api, `GET /v1/webhooks/${one.body.id}/deliveries?limit=1`, { key })
      const path = `/v1/webhooks/${other.body.id}/deliveries?cursor=${body.nextCursor}`
      expectError(await call(api, `GET ${path}`, { key }), '400 validation_error', 'cursor')
    })

    it('shows a key only the events of its environment for a webhook that covers both environments', async () => {
      const { body } = await register()
      await api.owner`update webhooks set environment = null where id = ${body.id}`
      await append('charge.confirmed')
      await append('charge.settled', 'test')
      const events = async (withKey: string) => {
        const answer = await call(api, `GET /v1/webhooks/${body.id}/deliveries`, { key: withKey })
        return answer.body.data.map(({ event }: { event: string }) => event)
      }
      expect(await events(key)).to.deep.equal(['charge.confirmed'])
      expect(await events(testKey)).to.deep.equal(['charge.settled'])
    })
  })

  describe('GET /v1/webhooks/{id}/deliveries with filters', () => {
    const listOf = async (
      id: string,
      query: string,
    ): Promise<{ data: { eventId: string; event: string }[] }> =>
      (await call(api, `GET /v1/webhooks/${id}/deliveries?${query}`, { key })).body
    const eventsOf = async (id: string, query: string) =>
      (await listOf(id, query)).data.map(({ event }) => event)

    it('lists deliveries by status and by event, on every page', async () => {
      const { body } = await register()
      for (const type of ['charge.confirmed', 'charge.settled', 'charge.confirmed'] as const)
        await append(type)
      await api.owner`
        update deliveries set status = 'failed', failed_at = now(), next_attempt_at = null
        where event_number = (select max(number) from events where type = 'charge.settled')`
      expect(await eventsOf(body.id, 'status=failed')).to.deep.equal(['charge.settled'])
      expect(await eventsOf(body.id, 'status=delivered')).to.deep.equal([])
      expect(await eventsOf(body.id, 'status=pending&event=charge.settled')).to.deep.equal([])
      const page = await call(api, `GET /v1/webhooks/${body.id}/deliveries?event=charge.confirmed&limit=1`, {
        key,
      })
      const next = `event=charge.confirmed&cursor=${page.body.nextCursor}`
      expect(await eventsOf(body.id, next)).to.deep.equal(['charge.confirmed'])
      const foreign = `/v1/webhooks/${body.id}/deliveries?cursor=${page.body.nextCursor}`
      expectError(await call(api, `GET ${foreign}`, { key }), '400 validation_error', 'cursor')
    })

    it('contains the event and the charge of each delivery, and no charge for a webhook’s own events', async () => {
      const { body } = await register()
      const merchant = await api.issueKey({ organization })
      const charge = { amount: 1, acceptedPayments: [{ token: 'USDC', network: 'base' }], expiresIn: 600 }
      const { id } = (await call(api, 'POST /v1/charges', { key: merchant.key, body: charge })).body
      await call(api, `POST /v1/webhooks/${body.id}/test`, { key })
      await fulfil()
      const events = await api.owner`
        select id, charge_id from events where organization_id = ${organization} order by number desc`
      const shown = (await listOf(body.id, '')).data as unknown as {
        eventId: string
        chargeId: string | null
      }[]
      expect(shown.map(({ eventId, chargeId }) => ({ id: eventId, chargeId }))).to.deep.equal([...events])
      expect(shown.map(({ chargeId }) => chargeId)).to.deep.equal([null, id])
    })

    it('scans a limited number of deliveries per page, and continues after them', async () => {
      const { body } = await register()
      await append('charge.settled')
      for (let n = 0; n < 5; n += 1) await append('charge.confirmed')
      const deps = { sql: api.owner, config: { cursorSecrets: ['x'.repeat(32)] }, maxScanned: 2 }
      const sizes: number[] = []
      let cursor: string | undefined
      for (let hasMore = true; hasMore; ) {
        const query = { event: 'charge.settled' as const, ...(cursor && { cursor }) }
        const tenant = { organizationId: organization, environment: 'live' }
        const request = { key: tenant, params: { id: body.id }, query }
        const page = await listDeliveries(deps, request as never)
        sizes.push(page.data.length)
        hasMore = page.hasMore
        cursor = page.nextCursor ?? undefined
      }
      // Three pages of two deliveries scan six deliveries, and the fourth page reaches the end.
      expect(sizes).to.deep.equal([0, 0, 1, 0])
    })

    for (const query of ['status=open', 'event=charge.paid']) {
      it(`rejects ${query}`, async () => {
        const { body } = await register()
        const answer = await call(api, `GET /v1/webhooks/${body.id}/deliveries?${query}`, { key })
        expectError(answer, '400 validation_error', query.split('=')[0])
      })
    }
  })

  describe('GET and PATCH /v1/webhooks/{id}', () => {
    const patch = (id: string, body: object) => call(api, `PATCH /v1/webhooks/${id}`, { key, body })

    it('return the webhook as the list shows it', async () => {
      const { body } = await register({ events: ['charge.confirmed'] })
      const [listed] = (await list()).body
      expect((await call(api, `GET /v1/webhooks/${body.id}`, { key })).body).to.deep.equal(listed)
    })

    it('change the given fields, and keep the other fields and the secret', async () => {
      const { body } = await register({ events: ['charge.confirmed'], excludeEvents: ['charge.created'] })
      const before = await secrets()
      const url = 'https://93.184.216.34/other'
      const { secret: _, ...rest } = body
      const moved = await patch(body.id, { url })
      expect(moved.status).to.equal(200)
      expect(moved.body).to.deep.include({ ...rest, url })
      const changed = { events: [], eventCategories: ['payments'], excludeEvents: ['charge.settled'] }
      expect((await patch(body.id, changed)).body).to.deep.equal({ ...moved.body, ...changed })
      expect(await secrets()).to.deep.equal(before)
    })

    it('subscribe the webhook to only the events of the new lists from then on', async () => {
      const { body } = await register({ events: ['charge.confirmed'] })
      await patch(body.id, { events: ['charge.settled', 'charge.settled'] })
      for (const type of ['charge.confirmed', 'charge.settled'] as const) await append(type)
      const { data } = (await call(api, `GET /v1/webhooks/${body.id}/deliveries`, { key })).body
      expect(data.map(({ event }: { event: string }) => event)).to.deep.equal(['charge.settled'])
      expect((await list()).body[0].events).to.deep.equal(['charge.settled'])
    })

    it('reject the same URLs as the registration, and change nothing', async () => {
      const { body } = await register()
      for (const [url, code] of [
        ['http://93.184.216.34/', 'insecure_webhook_url'],
        ['https://127.0.0.1/', 'unsafe_webhook_url'],
        ['nonsense', 'invalid_webhook_url'],
      ] as const)
        expectError(await patch(body.id, { url, events: ['charge.settled'] }), `400 ${code}`, 'url')
      expect((await list()).body[0]).to.deep.include({ url: URL_OF_HOOK, events: body.events })
    })

    it('reject a change that would leave the webhook without events', async () => {
      const { body } = await register({ events: ['charge.confirmed'] })
      expectError(await patch(body.id, { events: [] }), '400 validation_error', 'events')
      expectError(await patch(body.id, { secret: 'mine' }), '400 validation_error', 'secret')
    })

    it('return 404 for a deleted webhook', async () => {
      const { body } = await register()
      await call(api, `DELETE /v1/webhooks/${body.id}`, { key })
      expectError(await call(api, `GET /v1/webhooks/${body.id}`, { key }), '404 webhook_not_found')
      expectError(await patch(body.id, { events: ['*'] }), '404 webhook_not_found')
    })
  })

  describe('requests to the daemon', () => {
    it('include a retry, which returns 202 with the delivery', async () => {
      const { body } = await register()
      await append('charge.confirmed')
      const deliveries = await call(api, `GET /v1/webhooks/${body.id}/deliveries`, { key })
      const { id } = deliveries.body.data[0]
      const answer = await call(api, `POST /v1/webhooks/${body.id}/deliveries/${id}/retry`, { key })
      expect(answer.status).to.equal(202)
      expect(answer.body).to.deep.include({ id, event: 'charge.confirmed' })
      expect(await requests()).to.deep.equal([{ kind: 'delivery_retry', subjectId: id }])
    })

    for (const status of ['failed', 'delivered'] as const) {
      it(`return the updated delivery for a retry of a ${status} delivery`, async () => {
        const { body } = await register()
        await append('charge.confirmed')
        await api.owner`
          update deliveries set status = ${status}, attempts = 5, cycle_attempts = 5, response_code = 500,
            next_attempt_at = null, ${api.owner(`${status}_at`)} = now() where webhook_id = ${body.id}`
        const read = async () =>
          (await call(api, `GET /v1/webhooks/${body.id}/deliveries`, { key })).body.data[0]
        const answer = await call(api, `POST /v1/webhooks/${body.id}/deliveries/${(await read()).id}/retry`, {
          key,
        })
        expect(answer.body).to.deep.include({
          status: 'pending',
          attempts: 5,
          responseCode: 500,
          deliveredAt: null,
        })
        await fulfil()
        const { nextRetryAt, ...rest } = await read()
        expect({ ...answer.body, nextRetryAt }).to.deep.equal({ ...rest, nextRetryAt })
        expect(Math.abs(Date.parse(nextRetryAt) - Date.parse(answer.body.nextRetryAt))).to.be.below(60_000)
      })
    }

    it('include a test, which returns 202 with its future delivery', async () => {
      const { body } = await register()
      const answer = await call(api, `POST /v1/webhooks/${body.id}/test`, { key })
      expect(answer.status).to.equal(202)
      expect(answer.body).to.deep.include({ event: 'webhook.test', status: 'pending', attempts: 0 })
      expect(await requests()).to.deep.equal([{ kind: 'webhook_test', subjectId: body.id }])
    })

    it('return the same delivery for a test before and after the daemon has created it', async () => {
      const { body } = await register()
      const answer = await call(api, `POST /v1/webhooks/${body.id}/test`, { key })
      await fulfil()
      const { data } = (await call(api, `GET /v1/webhooks/${body.id}/deliveries`, { key })).body
      const { nextRetryAt, eventId } = data[0]
      const listed = { ...answer.body, nextRetryAt, eventId }
      expect(data).to.deep.equal([listed])
    })

    it('do not create a second delivery for a request that is repeated with the same id', async () => {
      const { body } = await register()
      await call(api, `POST /v1/webhooks/${body.id}/test`, { key })
      const asked = await api.owner`select id, kind, organization_id, subject_id, payload from requests
        where organization_id = ${organization}`
      await fulfil()
      await api.owner`insert into requests ${api.owner(asked[0] ?? {})}`
      await fulfil()
      const { data } = (await call(api, `GET /v1/webhooks/${body.id}/deliveries`, { key })).body
      expect(data).to.have.length(1)
      expect(await requests()).to.deep.equal([])
    })

    it('are not sent for a delivery of another webhook', async () => {
      const [one, other] = [await register(), await register()]
      await append('charge.confirmed')
      const deliveries = await call(api, `GET /v1/webhooks/${one.body.id}/deliveries`, { key })
      const path = `/v1/webhooks/${other.body.id}/deliveries/${deliveries.body.data[0].id}/retry`
      expectError(await call(api, `POST ${path}`, { key }), '404 delivery_not_found')
      expect(await requests()).to.deep.equal([])
    })
  })

  describe('POST /v1/webhooks/{id}/rotate-secret', () => {
    it('returns the webhook with a new secret, and keeps the old secret valid for 24 hours', async () => {
      const { body } = await register()
      const answer = await call(api, `POST /v1/webhooks/${body.id}/rotate-secret`, { key })
      expect(answer.body).to.deep.equal({ ...body, secret: answer.body.secret })
      expect(answer.body.secret).not.to.equal(body.secret)
      const row = await secrets()
      expect(row.current).to.equal(answer.body.secret)
      expect(row.old).to.equal(body.secret)
      expect(row.hours).to.be.closeTo(24, 0.01)
      expect((await list()).body[0].hint).to.equal(`${answer.body.secret.slice(0, 10)}…`)
    })

    it('keeps at most two secrets', async () => {
      const { body } = await register()
      const second = await call(api, `POST /v1/webhooks/${body.id}/rotate-secret`, { key, body: {} })
      const third = await call(api, `POST /v1/webhooks/${body.id}/rotate-secret`, {
        key,
        body: { expireOldNow: false },
      })
      expect(await secrets()).to.include({ current: third.body.secret, old: second.body.secret })
    })

    it('deletes the old secret immediately on request', async () => {
      const { body } = await register()
      await call(api, `POST /v1/webhooks/${body.id}/rotate-secret`, { key, body: { expireOldNow: true } })
      expect(await secrets()).to.include({ old: null, hours: null })
    })
  })

  describe('a webhook of another organization or environment', () => {
    const ask = (path: string, withKey: string) =>
      call(api, path, { key: withKey, ...(path.startsWith('PATCH') && { body: {} }) })
    for (const path of [
      'GET /v1/webhooks/{id}',
      'PATCH /v1/webhooks/{id}',
      'DELETE /v1/webhooks/{id}',
      'GET /v1/webhooks/{id}/deliveries',
      'POST /v1/webhooks/{id}/rotate-secret',
      'POST /v1/webhooks/{id}/test',
      'POST /v1/webhooks/{id}/deliveries/dl_1/retry',
    ]) {
      it(`returns 404 for ${path}`, async () => {
        const { body } = await register()
        for (const other of [stranger, testKey]) {
          expectError(await ask(path.replace('{id}', body.id), other), '404 webhook_not_found')
        }
        expectError(await ask(path.replace('{id}', 'wh_unknown'), key), '404 webhook_not_found')
      })
    }
  })

  describe('scopes', () => {
    for (const [path, scope] of [
      ['POST /v1/webhooks', 'webhooks:write'],
      ['GET /v1/webhooks', 'webhooks:read'],
      ['GET /v1/webhooks/listen', 'webhooks:read'],
      ['GET /v1/webhooks/wh_1', 'webhooks:read'],
      ['PATCH /v1/webhooks/wh_1', 'webhooks:write'],
      ['DELETE /v1/webhooks/wh_1', 'webhooks:write'],
      ['GET /v1/webhooks/wh_1/deliveries', 'webhooks:read'],
      ['POST /v1/webhooks/wh_1/deliveries/dl_1/retry', 'webhooks:write'],
      ['POST /v1/webhooks/wh_1/test', 'webhooks:write'],
      ['POST /v1/webhooks/wh_1/rotate-secret', 'webhooks:manage_secret'],
    ] as const) {
      it(`require ${scope} for ${path}`, async () => {
        const others = await api.issueKey({ scopes: SCOPES.filter((one) => one !== scope) })
        expectError(await call(api, path, { key: others.key }), '403 insufficient_scope')
        expectError(await call(api, path), '401 missing_api_key')
      })
    }
  })

  describe('GET /v1/webhooks/listen', () => {
    it('starts with a secret for this connection only, and then sends every event in its envelope', async () => {
      const stream = await listen()
      await stream.until('the first frame', ({ events }) => events.length === 1)
      const other = await listen()
      await other.until('the first frame', ({ events }) => events.length === 1)
      const [ready] = stream.events
      expect(ready?.event).to.equal('ready')
      expect(JSON.parse(ready?.data ?? '').secret).to.match(/^whsec_/)
      expect(ready?.data).not.to.equal(other.events[0]?.data)

      await append('charge.confirmed')
      await append('webhook.endpoint_unhealthy')
      await stream.until('two events', ({ events }) => events.length === 3)
      const [, confirmed, unhealthy] = stream.events
      expect([confirmed?.event, unhealthy?.event]).to.deep.equal([
        'charge.confirmed',
        'webhook.endpoint_unhealthy',
      ])
      const envelope = JSON.parse(confirmed?.data ?? '')
      expect(Object.keys(envelope)).to.deep.equal(['id', 'event', 'createdAt', 'data'])
      expect(envelope).to.deep.include({ event: 'charge.confirmed', data: { text: 1 } })
    })

    it('does not send events of another organization or environment, or internal events', async () => {
      const stream = await listen()
      await stream.until('the first frame', ({ events }) => events.length === 1)
      await append('charge.confirmed', 'test')
      await append('charge.confirmed', 'live', 'org_other')
      await append('charge.updated')
      await append('charge.settled')
      await stream.until('one event', ({ events }) => events.length >= 2)
      expect(stream.events.map(({ event }) => event)).to.deep.equal(['ready', 'charge.settled'])
    })

    it('resumes after the event that a client names, and sends each event once and in order', async () => {
      const stream = await listen()
      await append('charge.partially_paid')
      await stream.until('an event', ({ events }) => events.length === 2)
      stream.close()
      for (const type of ['charge.confirmed', 'charge.settled']) await append(type)
      const again = await listen({ 'last-event-id': stream.events[1]?.id ?? '' })
      await append('charge.overpaid')
      await again.until('three events', ({ events }) => events.length === 4)
      expect(again.events.map(({ event }) => event)).to.deep.equal([
        ...['ready', 'charge.confirmed', 'charge.settled', 'charge.overpaid'],
      ])
      expect(again.events[0]?.id).to.equal(stream.events[1]?.id)
    })

    it('starts over for an unreadable id', async () => {
      // The process does not read a committed event immediately. Another stream shows when the process has read it.
      const earlier = await listen()
      await append('charge.settled')
      await earlier.until('the event before', ({ events }) => events.length === 2)
      const stream = await listen({ 'last-event-id': '1' })
      await append('charge.overpaid')
      await stream.until('the next event', ({ events }) => events.length === 2)
      expect(stream.events.map(({ event }) => event)).to.deep.equal(['ready', 'charge.overpaid'])
    })

    async function listen(headers: Record<string, string> = {}): Promise<EventReader> {
      const reader = await readEvents(`${api.baseUrl}/v1/webhooks/listen`, { key, headers })
      readers.push(reader)
      return reader
    }
  })

  function register(body: object = {}, withKey = key) {
    return call(api, 'POST /v1/webhooks', {
      key: withKey,
      body: { url: URL_OF_HOOK, events: ['*'], ...body },
    })
  }

  function list() {
    return call(api, 'GET /v1/webhooks', { key })
  }

  async function append(type: string, environment = 'live', organizationId = organization): Promise<void> {
    const category = type.startsWith('webhook.')
      ? 'webhooks'
      : type === 'charge.updated'
        ? 'internal'
        : 'payments'
    await appendEvent(api.owner, { type, category, environment, organizationId, data: '{"text":1}' })
  }

  /** Processes the pending requests as the daemon does. */
  async function fulfil() {
    const sql = connectForTest(api.database.url.daemon)
    const log = createLogger({ level: 'error', service: 'indexer' })
    await processWebhookRequests({ sql, clock: () => new Date(), log, onDue: () => {} })
    await sql.end()
  }

  async function requests() {
    return await api.owner`select kind, subject_id from requests where organization_id = ${organization} order by created_at`
  }

  async function secrets() {
    const [row] = await api.owner<
      { secretSealed: Buffer; oldSecretSealed: Buffer | null; hours: number | null }[]
    >`
      select secret_sealed, old_secret_sealed,
        (extract(epoch from old_secret_until - now()) / 3600)::float8 as hours
      from webhooks where organization_id = ${organization}`
    const { secretSealed = Buffer.alloc(0), oldSecretSealed = null, hours = null } = row ?? {}
    const old = oldSecretSealed && unseal(oldSecretSealed)
    return { current: unseal(secretSealed), old, hours }
  }
})
