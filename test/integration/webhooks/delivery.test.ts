import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect } from 'chai'
import Stripe from 'stripe'
import { claimDeliveries } from '../../../shared/db/webhooks/daemon/claim-deliveries.ts'
import { lockIdleDelivery } from '../../../shared/db/webhooks/daemon/deliveries.ts'
import { deleteWebhook } from '../../../shared/db/webhooks/webhooks.ts'
import { createSealKeys, seal } from '../../../shared/domain/sealed-box.ts'
import { createWebhookSecret } from '../../../shared/domain/webhook-secret.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { holdTimeLimit } from '../../support/hold-time-limit.ts'
import { connectForTest } from '../../support/postgres.ts'
import { ACCEPT, type Behaviour, type Receiver, refuse, startReceiver } from '../../support/receiver.ts'
import { waitForLockWait } from '../../support/wait-for-lock-wait.ts'
import {
  ATTEMPT_DELAYS_SECONDS,
  createWebhookFixture,
  type WebhookFixture,
} from '../../support/webhook-fixture.ts'

const HOUR = 3600
const DAY = 24 * HOUR

const SILENCE: Behaviour = () => {}

describe('the delivery of webhooks', () => {
  let stage: WebhookFixture
  let receiver: Receiver
  const receivers: Receiver[] = []

  beforeEach(async () => {
    stage = await createWebhookFixture()
    receiver = await start()
  })

  afterEach(async () => {
    for (const one of receivers.splice(0)) await one.stop()
    await stage.stop()
  })

  async function start(behaviour?: Behaviour): Promise<Receiver> {
    const started = await startReceiver(behaviour)
    receivers.push(started)
    return started
  }

  describe('an attempt', () => {
    it('posts the envelope with descriptive headers, signed for the current time', async () => {
      const { id: webhookId, secret } = await stage.addWebhook(receiver.url)
      const id = await stage.appendEvent({ data: '{"amount":10.10}' })
      await (await stage.startActor()).work()
      const [request] = receiver.requests
      const createdAt = stage.clock.now().toISOString()
      expect(request?.body).to.equal(
        `{"id":"${id}","event":"charge.confirmed","createdAt":"${createdAt}","data":{"amount":10.10}}`,
      )
      expect(request?.headers).to.include({
        'content-type': 'application/json',
        'x-service-delivery': id,
        'x-service-event': 'charge.confirmed',
        'webhook-id': id,
      })
      const signature = String(request?.headers['x-service-signature'])
      expect(signature).to.contain(`t=${stage.clock.now().getTime() / 1000},`)
      new Stripe('sk_test_unused').webhooks.constructEvent(request?.body ?? '', signature, secret)
      expect(await stage.listDeliveries(webhookId)).to.deep.include({
        ...(await stage.listDeliveries(webhookId))[0],
        status: 'delivered',
        attempts: 1,
        responseCode: 200,
        responseExcerpt: 'ok',
        nextAttemptAt: null,
        leasedUntil: null,
      })
    })

    it('does not follow a redirect', async () => {
      const other = await start()
      receiver.behave(refuse(307, { location: other.url }))
      await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      await (await stage.startActor()).work()
      expect(await outcome()).to.deep.include({ status: 'pending', attempts: 1, responseCode: 307 })
      expect(other.requests).to.have.length(0)
    })

    for (const [status, expected] of [
      [200, 'delivered'],
      [299, 'delivered'],
      [500, 'pending'],
    ] as const) {
      it(`reads 64 KiB of an endless response, and uses its status ${status}`, async () => {
        let written = 0
        receiver.behave((response) => {
          response.writeHead(status)
          const write = (): void => {
            while (!response.destroyed && response.write(Buffer.alloc(8192, 'x'))) written += 8192
          }
          response.on('drain', write)
          write()
        })
        await stage.addWebhook(receiver.url)
        await stage.appendEvent()
        await (await stage.startActor()).work()
        const delivery = await outcome()
        expect(delivery).to.deep.include({ status: expected, responseCode: status })
        expect(delivery?.responseExcerpt).to.equal('x'.repeat(1024))
        await waitFor(() => receiver.open() === 0, { what: 'the connection to be cut', timeoutMs: 60_000 })
        // The sockets' buffers held the bytes beyond 64 KiB.
        expect(written).to.be.below(16 * 1024 * 1024)
      })
    }

    it('stores a response whose bytes PostgreSQL cannot store as text', async () => {
      receiver.behave((response) => void response.writeHead(500).end(Buffer.from([0x61, 0, 0xff, 0x62])))
      await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      await (await stage.startActor()).work()
      expect(await outcome()).to.deep.include({ attempts: 1, responseExcerpt: 'a\u{fffd}\u{fffd}b' })
    })

    it('times out without a response', async () => {
      receiver.behave(SILENCE)
      await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      await (await stage.startActor({ timeoutMs: 150 })).work()
      expect(await outcome()).to.deep.include({
        status: 'pending',
        attempts: 1,
        responseCode: null,
        lastError: 'no response in time',
      })
    })

    it('times out on a response that does not end, but uses its status', async () => {
      receiver.behave((response) => void response.writeHead(200).write('slow'))
      await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      const limit = holdTimeLimit(60_000)
      const onRead = () => setImmediate(limit.end)
      subscribe('undici:request:bodyChunkReceived', onRead)
      await (await stage.startActor({ timeoutMs: 60_000 })).work().finally(limit.release)
      unsubscribe('undici:request:bodyChunkReceived', onRead)
      expect(await outcome()).to.deep.include({
        status: 'delivered',
        responseCode: 200,
        responseExcerpt: 'slow',
      })
    })

    it('fails if the connection is dropped or refused', async () => {
      receiver.behave((response) => void response.destroy())
      const gone = await start()
      await gone.stop()
      await stage.addWebhook(receiver.url)
      await stage.addWebhook(gone.url)
      await stage.appendEvent()
      await (await stage.startActor()).work()
      const errors = (await stage.listDeliveries()).map(({ lastError, responseCode }) => [
        responseCode,
        lastError,
      ])
      expect(errors.map(([code]) => code)).to.deep.equal([null, null])
      expect(errors.map(([, error]) => String(error).split(':')[0])).to.have.members([
        'UND_ERR_SOCKET',
        'ECONNREFUSED',
      ])
    })

    it('keeps the last status if a later attempt receives no status', async () => {
      receiver.behave((response, _, n) => void (n === 0 ? response.writeHead(503).end() : response.destroy()))
      await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      const actor = await stage.startActor()
      await actor.work()
      stage.clock.advance(300)
      await actor.work()
      expect(await outcome()).to.deep.include({ attempts: 2, responseCode: 503 })
    })

    it('is not sent if the target is no longer allowed, but counts as an attempt', async () => {
      await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      await (await stage.startActor({ allowed: [] })).work()
      const delivery = await outcome()
      expect(delivery).to.deep.include({ attempts: 1, responseCode: null })
      expect(delivery?.lastError).to.match(/^unsafe_webhook_url: /)
      expect(receiver.requests).to.have.length(0)
    })
  })

  describe('the retry schedule', () => {
    it('attempts at 0, 5 minutes, 30 minutes, 2 hours and 24 hours, then fails', async () => {
      receiver.behave(refuse(500))
      await stage.addWebhook(receiver.url, { events: ['charge.confirmed'] })
      await stage.appendEvent()
      const actor = await stage.startActor()
      let elapsed = 0
      const advanceTo = async (seconds: number): Promise<void> => {
        stage.clock.advance(seconds - elapsed)
        elapsed = seconds
        await actor.work()
      }
      for (const [index, seconds] of ATTEMPT_DELAYS_SECONDS.entries()) {
        if (seconds > 0) await advanceTo(seconds - 1)
        expect(receiver.requests, `one second before ${seconds}`).to.have.length(index)
        await advanceTo(seconds)
        expect(receiver.requests, `at ${seconds}`).to.have.length(index + 1)
      }
      expect(await outcome()).to.deep.include({ status: 'failed', attempts: 5, nextAttemptAt: null })
      await advanceTo(10 * DAY)
      expect(receiver.requests).to.have.length(5)
    })

    it('sends the same bytes with the same id every time, with a new signature', async () => {
      receiver.behave((response, _, n) => void response.writeHead(n < 4 ? 500 : 200).end())
      await stage.addWebhook(receiver.url)
      await stage.appendEvent({ data: '{"metadata":{"b":1.0,"a":2}}' })
      await attemptAll()
      expect(receiver.requests).to.have.length(5)
      expect(new Set(receiver.requests.map(({ body }) => body)).size).to.equal(1)
      expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).to.equal(1)
      expect(new Set(receiver.requests.map(({ headers }) => headers['x-service-signature'])).size).to.equal(5)
      expect(await outcome()).to.deep.include({ status: 'delivered', attempts: 5, responseCode: 200 })
    })

    for (const [header, waitSeconds] of [
      ['1', 300],
      ['420', 420],
      ['86400', 600],
    ] as const) {
      it(`waits ${waitSeconds} s after Retry-After: ${header}, with 300 s planned`, async () => {
        receiver.behave(refuse(429, { 'retry-after': header }))
        await stage.addWebhook(receiver.url)
        await stage.appendEvent()
        await (await stage.startActor()).work()
        const expected = new Date(stage.clock.now().getTime() + waitSeconds * 1000)
        expect((await outcome())?.nextAttemptAt).to.deep.equal(expected)
      })
    }
  })

  it('starts an attempt that is due within the current millisecond', async () => {
    await stage.addWebhook(receiver.url)
    await stage.appendEvent()
    await stage.database.sql`
      update deliveries set next_attempt_at = ${stage.clock.now()}::timestamptz + interval '900 microseconds'`
    await (await stage.startActor()).work()
    expect(receiver.requests).to.have.length(1)
  })

  describe('the order of first attempts', () => {
    it('follows the order of a charge’s events, while other charges do not wait', async () => {
      const held: (() => void)[] = []
      receiver.behave((response, _, n) => void (n === 0 ? held.push(() => response.end()) : response.end()))
      await stage.addWebhook(receiver.url)
      const [one, other] = [await stage.addCharge(), await stage.addCharge()]
      const first = await stage.appendEvent({ chargeId: one, type: 'charge.created' })
      const second = await stage.appendEvent({ chargeId: one, type: 'charge.confirmed' })
      const third = await stage.appendEvent({ chargeId: one, type: 'charge.settled' })
      const elsewhere = await stage.appendEvent({ chargeId: other, type: 'charge.created' })
      const actor = await stage.startActor()
      await actor.turn()
      await waitFor(() => receiver.requests.length === 2, { what: 'two requests', timeoutMs: 60_000 })
      await actor.turn()
      expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).to.have.members([
        first,
        elsewhere,
      ])
      held.forEach((end) => end())
      await actor.settle()
      await actor.work()
      const ids = receiver.requests.map(({ headers }) => headers['webhook-id'])
      expect(ids.filter((id) => id !== elsewhere)).to.deep.equal([first, second, third])
    })

    it('continues after a failed first attempt', async () => {
      receiver.behave((response, _, n) => void response.writeHead(n === 0 ? 500 : 200).end())
      await stage.addWebhook(receiver.url)
      const chargeId = await stage.addCharge()
      const first = await stage.appendEvent({ chargeId, type: 'charge.created' })
      const second = await stage.appendEvent({ chargeId, type: 'charge.confirmed' })
      const actor = await stage.startActor()
      await actor.work()
      stage.clock.advance(300)
      await actor.work()
      const ids = receiver.requests.map(({ headers }) => headers['webhook-id'])
      expect(ids).to.deep.equal([first, second, first])
    })
  })

  describe('fairness', () => {
    it('gives one endpoint at most five simultaneous attempts', async () => {
      const held: (() => void)[] = []
      receiver.behave((response) => void held.push(() => response.end()))
      await stage.addWebhook(receiver.url)
      for (let n = 0; n < 8; n += 1) await stage.appendEvent()
      const actor = await stage.startActor()
      while ((await actor.turn()) === 'more');
      await waitFor(() => receiver.open() === 5, {
        what: 'five open requests',
        timeoutMs: 60_000,
        intervalMs: 5,
      })
      expect(await actor.turn()).to.equal('idle')
      held.forEach((end) => end())
      await actor.settle()
      expect(receiver.requests).to.have.length(5)
    })

    it('makes one attempt at a time at an endpoint whose last attempt failed, until an attempt succeeds', async () => {
      const held: (() => void)[] = []
      receiver.behave(
        (response, _, n) => void (n === 0 ? response.writeHead(500).end() : held.push(() => response.end())),
      )
      await stage.addWebhook(receiver.url)
      const actor = await stage.startActor()
      await stage.appendEvent()
      await actor.work()
      for (let n = 0; n < 6; n += 1) await stage.appendEvent()
      await actor.turn()
      await waitFor(() => held.length === 1, { what: 'one request', timeoutMs: 60_000 })
      await actor.turn()
      expect(receiver.open()).to.equal(1)
      held.splice(0).forEach((end) => end())
      await actor.settle()
      await actor.turn()
      await waitFor(() => held.length === 5, { what: 'five requests', timeoutMs: 60_000 })
      held.splice(0).forEach((end) => end())
      await actor.settle()
    })

    it('sends a fast endpoint all of its events while attempts to a dead endpoint are in flight', async () => {
      const dead = await start(SILENCE)
      await stage.addWebhook(dead.url)
      await stage.addWebhook(receiver.url)
      for (let n = 0; n < 60; n += 1) await stage.appendEvent()
      const actor = await stage.startActor({ timeoutMs: 20_000, concurrency: 10 })
      await waitFor(
        async () => {
          await actor.turn()
          return receiver.requests.length === 60
        },
        { what: 'all events of the fast endpoint', timeoutMs: 60_000, intervalMs: 1 },
      )
      expect(dead.open()).to.be.within(1, 5)
    })

    it('pauses failing endpoints once they use half of the slots, no matter how many more deliveries are due', async () => {
      receiver.behave(SILENCE)
      await stage.addWebhook(receiver.url)
      await stage.database.sql`
        insert into webhooks (id, organization_id, environment, url, events, event_categories, exclude_events,
          secret_sealed, secret_hint)
        select 'wh_' || n, organization_id, environment, url, events, event_categories, exclude_events, secret_sealed,
          secret_hint
        from webhooks, generate_series(1, 1100) n`
      await stage.database.sql`
        insert into endpoint_health (webhook_id, is_failing) select id, true from webhooks`
      await stage.appendEvent()
      const actor = await stage.startActor({ concurrency: 2 })
      expect(await actor.turn()).to.equal('more')
      let turns = 0
      while (turns < 50 && (await actor.turn()) === 'more') turns += 1
      expect(turns).to.be.below(10)
    })

    it('rotates over more endpoints than there are slots', async () => {
      const ids: string[] = []
      for (let n = 0; n < 30; n += 1) ids.push((await stage.addWebhook(`${receiver.url}/${n}`)).id)
      for (let n = 0; n < 3; n += 1) await stage.appendEvent()
      const actor = await stage.startActor({ concurrency: 10 })
      await actor.work()
      const paths = receiver.requests.map(({ path }) => path)
      expect(paths).to.have.length(90)
      // Ten requests run at a time, so a second round can overlap the end of the first round.
      expect(new Set(paths.slice(0, 40)).size).to.equal(30)
    })
  })

  describe('several daemons, including killed ones', () => {
    it('attempt each delivery once in total', async () => {
      for (let n = 0; n < 10; n += 1) await stage.addWebhook(`${receiver.url}/${n}`)
      for (let n = 0; n < 20; n += 1) await stage.appendEvent()
      const actors = await Promise.all([1, 2, 3].map(() => stage.startActor({ concurrency: 20 })))
      await waitFor(
        async () => {
          await Promise.all(actors.map((actor) => actor.work()))
          return (await stage.listDeliveries()).every(({ status }) => status === 'delivered')
        },
        { what: 'all deliveries', timeoutMs: 60_000 },
      )
      const keys = receiver.requests.map(({ path, headers }) => `${path} ${String(headers['webhook-id'])}`)
      expect(keys).to.have.length(200)
      expect(new Set(keys).size).to.equal(200)
    })

    it('resume attempts of another daemon only once its lease has expired', async () => {
      const { id: webhookId } = await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      const now = stage.clock.now()
      const leasedUntil = new Date(now.getTime() + 20_000)
      const claimed = await claimDeliveries(stage.sql, { slots: [{ webhookId, slots: 5 }], now, leasedUntil })
      expect(claimed).to.have.length(1)
      const actor = await stage.startActor()
      stage.clock.advance(19)
      await actor.work()
      expect(receiver.requests).to.have.length(0)
      stage.clock.advance(1)
      await actor.work()
      expect(receiver.requests).to.have.length(1)
      expect(await outcome()).to.deep.include({ status: 'delivered', attempts: 1 })
    })

    it('do not record an attempt that another daemon has taken over', async () => {
      const held: (() => void)[] = []
      receiver.behave(
        (response, _, n) => void (n === 0 ? held.push(() => response.writeHead(500).end()) : response.end()),
      )
      await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      const [slow, other] = [await stage.startActor(), await stage.startActor()]
      await slow.turn()
      await waitFor(() => held.length === 1, { what: 'the slow request', timeoutMs: 60_000 })
      stage.clock.advance(21)
      await other.work()
      held.forEach((end) => end())
      await slow.settle()
      expect(await outcome()).to.deep.include({ status: 'delivered', attempts: 1, responseCode: 200 })
      expect(stage.lines.map(({ msg }) => msg)).to.include('Attempt lost its lease')
    })
  })

  describe('a lock held by another session', () => {
    it('on all deliveries prevents attempts under a lease that became too short during the wait', async () => {
      await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      const actor = await stage.startActor()
      let turn: Promise<unknown> = Promise.resolve()
      await stage.database.sql.begin(async (db) => {
        await db`lock table deliveries in share mode`
        turn = actor.turn()
        await waitForLockWait(stage.sql)
        stage.clock.advance(5)
      })
      await turn
      expect(await outcome()).to.deep.include({ status: 'pending', leasedUntil: null })
      await actor.settle()
      expect(receiver.requests).to.have.length(0)
      await actor.work()
      expect(await outcome()).to.deep.include({ status: 'delivered', attempts: 1 })
    })

    it('on one endpoint’s health does not delay the recording of another endpoint’s success', async () => {
      const { id: locked } = await stage.addWebhook(receiver.url, { events: ['charge.expired'] })
      const { id: other } = await stage.addWebhook(receiver.url, { events: ['charge.confirmed'] })
      await stage.database.sql`insert into endpoint_health (webhook_id) values (${locked}), (${other})`
      await stage.database.sql`
        insert into endpoint_attempts (webhook_id, hour, finished, failed)
        select id, date_trunc('hour', ${stage.clock.now()}::timestamptz, 'UTC'), 5, 0 from webhooks`
      const actor = await stage.startActor()
      await stage.database.sql.begin(async (db) => {
        await db`select from endpoint_health where webhook_id = ${locked} for update`
        await stage.appendEvent({ type: 'charge.expired' })
        await actor.turn()
        await waitForLockWait(stage.sql)
        await stage.appendEvent({ type: 'charge.confirmed' })
        await actor.turn()
        await waitFor(async () => (await outcome(other))?.status === 'delivered', {
          what: 'the other endpoint’s success to be recorded',
          timeoutMs: 20_000,
        })
        expect(await outcome(locked)).to.include({ status: 'pending' })
      })
      await actor.settle()
      expect(await outcome(locked)).to.include({ status: 'delivered' })
    })
  })

  describe('the deletion of a webhook', () => {
    it('fails pending deliveries immediately, with the API’s own role, and sends no event about them', async () => {
      receiver.behave(refuse(500))
      const { id } = await stage.addWebhook(receiver.url)
      await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      const actor = await stage.startActor()
      await actor.work()
      await remove(id)
      expect(await outcome(id)).to.deep.include({
        status: 'failed',
        attempts: 1,
        lastError: 'webhook deleted',
      })
      stage.clock.advance(DAY)
      await actor.work()
      expect((await stage.listDeliveries(id)).map(({ attempts }) => attempts)).to.deep.equal([1])
      expect(await stage.listSignals()).to.deep.equal([])
    })

    it('ignores the result of an attempt in flight', async () => {
      const held: (() => void)[] = []
      receiver.behave((response) => void held.push(() => response.end()))
      const { id } = await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      const actor = await stage.startActor()
      await actor.turn()
      await waitFor(() => held.length === 1, { what: 'the request', timeoutMs: 60_000 })
      await remove(id)
      held.forEach((end) => end())
      await actor.settle()
      expect(await outcome(id)).to.deep.include({ status: 'failed', leasedUntil: null })
    })

    it('also fails deliveries that were inserted while the deletion was committed', async () => {
      const { id } = await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      await stage.database.sql`alter table webhooks disable trigger webhooks_fail_deliveries`
      await remove(id)
      expect(await outcome(id)).to.deep.include({ status: 'pending' })
      await (await stage.startActor()).work()
      expect(await outcome(id)).to.deep.include({ status: 'failed', attempts: 0 })
      expect(receiver.requests).to.have.length(0)
    })
  })

  describe('a manual retry', () => {
    it('starts a new cycle of five attempts for a failed delivery, the first immediately', async () => {
      receiver.behave(refuse(500))
      await stage.addWebhook(receiver.url, { events: ['charge.confirmed'] })
      await stage.appendEvent()
      await attemptAll()
      expect(await outcome()).to.deep.include({ status: 'failed', attempts: 5 })
      await askRetry((await outcome())?.publicId ?? '')
      await attemptAll()
      expect(await outcome()).to.deep.include({ status: 'failed', attempts: 10 })
      expect(receiver.requests).to.have.length(10)
      expect((await stage.listSignals()).filter((type) => type === 'webhook.delivery_failed')).to.have.length(
        2,
      )
    })

    it('resends a delivery that has already succeeded', async () => {
      await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      const actor = await stage.startActor()
      await actor.work()
      await askRetry((await outcome())?.publicId ?? '')
      expect(await outcome()).to.deep.include({ status: 'pending' })
      await actor.work()
      expect(await outcome()).to.deep.include({ status: 'delivered', attempts: 2 })
    })

    it('waits until the attempt in flight has ended', async () => {
      const held: (() => void)[] = []
      receiver.behave((response) => void held.push(() => response.writeHead(500).end()))
      await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      const actor = await stage.startActor()
      await actor.turn()
      await waitFor(() => held.length === 1, { what: 'the request', timeoutMs: 60_000 })
      await askRetry((await outcome())?.publicId ?? '')
      held.splice(0).forEach((end) => end())
      await actor.settle()
      expect((await outcome())?.nextAttemptAt).to.deep.equal(new Date(stage.clock.now().getTime() + 300_000))
      await stage.fulfil()
      expect((await outcome())?.nextAttemptAt).to.deep.equal(stage.clock.now())
      receiver.behave(ACCEPT)
      await actor.work()
    })

    it('waits until the attempt has ended that began while the request was processed', async () => {
      await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      await ask({ kind: 'delivery_retry', subjectId: (await outcome())?.publicId ?? '' })
      const leasedUntil = new Date(stage.clock.now().getTime() + 60_000)
      let processed: Promise<unknown> = Promise.resolve()
      await stage.database.sql.begin(async (db) => {
        await db`update deliveries set leased_until = ${leasedUntil}`
        processed = stage.fulfil()
        await waitForLockWait(stage.sql)
      })
      await processed
      expect((await outcome())?.leasedUntil).to.deep.equal(leasedUntil)
      stage.clock.advance(61)
      await stage.fulfil()
      expect((await outcome())?.nextAttemptAt).to.deep.equal(stage.clock.now())
      expect(await stage.database.sql`select id from requests`).to.deep.equal([])
    })

    it('does not lock a delivery whose attempt is in flight', async () => {
      await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      const now = stage.clock.now()
      const leasedUntil = new Date(now.getTime() + 60_000)
      await stage.database.sql`update deliveries set leased_until = ${leasedUntil}`
      const publicId = (await outcome())?.publicId ?? ''
      const tenant = { organizationId: 'org_one', environment: 'live' } as const
      await stage.database.sql.begin(async (db) => {
        expect(await lockIdleDelivery(db, { tenant, publicId, now })).to.equal(null)
        expect(await stage.sql`select id from deliveries for update nowait`).to.have.length(1)
        expect(await lockIdleDelivery(db, { tenant, publicId, now: leasedUntil })).to.not.equal(null)
      })
    })

    it('is rejected, deleted and not logged as processed if its payload is invalid', async () => {
      await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      await ask({ kind: 'delivery_retry', subjectId: (await outcome())?.publicId ?? '' })
      await stage.database.sql`update requests set payload = '{}'`
      await stage.fulfil()
      expect(stage.lines.map(({ msg }) => msg)).to.deep.equal(['Rejected an invalid webhook request'])
      expect(await stage.database.sql`select id from requests`).to.deep.equal([])
    })

    it('has no effect for a deleted webhook, and its request is deleted', async () => {
      const { id } = await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      await remove(id)
      await askRetry((await outcome(id))?.publicId ?? '')
      expect(await outcome(id)).to.deep.include({ status: 'failed' })
      expect(await stage.database.sql`select id from requests`).to.deep.equal([])
    })
  })

  it('sends a test only to the requested endpoint, regardless of its subscriptions', async () => {
    const other = await start()
    const { id } = await stage.addWebhook(receiver.url, { events: ['charge.settled'] })
    await stage.addWebhook(other.url)
    await ask({ kind: 'webhook_test', subjectId: id })
    await stage.fulfil()
    await (await stage.startActor()).work()
    expect(receiver.requests.map(({ headers }) => headers['x-service-event'])).to.deep.equal(['webhook.test'])
    expect(JSON.parse(receiver.requests[0]?.body ?? '').data).to.deep.equal({
      webhookId: id,
      url: receiver.url,
    })
    expect(other.requests).to.have.length(0)
  })

  describe('secrets', () => {
    it('block a delivery if no key can decrypt them, without counting against the endpoint', async () => {
      await stage.addWebhook(receiver.url)
      await stage.appendEvent()
      await (await stage.startActor({ keys: [createSealKeys().privateKey] })).work()
      expect(await outcome()).to.deep.include({ status: 'pending', attempts: 0 })
      expect(stage.lines.map(({ msg }) => msg)).to.include('Could not make or record an attempt')
      stage.clock.advance(21)
      await (await stage.startActor({ keys: [createSealKeys().privateKey, stage.keys.privateKey] })).work()
      expect(await outcome()).to.deep.include({ status: 'delivered', attempts: 1 })
    })

    it('do not sign a delivery more than a second after they were read', async () => {
      const answers: (() => void)[] = []
      const { id } = await stage.addWebhook(receiver.url)
      const actor = await stage.startActor()
      await stage.appendEvent()
      await actor.work()
      receiver.behave((response) => void answers.push(() => response.end()))
      for (let n = 0; n < 8; n += 1) await stage.appendEvent()
      await actor.turn()
      const begun = (count: number) =>
        waitFor(() => answers.length === count, { what: `request ${count}`, timeoutMs: 20_000 })
      await begun(5)
      stage.clock.advance(0.4)
      answers[0]?.()
      await begun(6)
      stage.clock.advance(0.4)
      answers[5]?.()
      await begun(7)
      const secret = createWebhookSecret()
      await stage.database.sql`
        update webhooks set secret_sealed = ${seal(stage.keys.publicKey, secret)} where id = ${id}`
      stage.clock.advance(0.4)
      answers[6]?.()
      const isGivenUp = async () =>
        (await stage.listDeliveries()).some((row) => row.status === 'pending' && row.leasedUntil === null)
      await waitFor(async () => answers.length > 7 || (await isGivenUp()), {
        what: 'the last held delivery to start or be released',
        timeoutMs: 20_000,
      })
      expect(answers).to.have.length(7)
      receiver.behave(ACCEPT)
      for (const answer of answers) answer()
      await actor.work()
      const request = receiver.requests.at(-1)
      const signature = String(request?.headers['x-service-signature'])
      new Stripe('sk_test_unused').webhooks.constructEvent(request?.body ?? '', signature, secret)
    })

    it('both sign each delivery until the old secret has expired', async () => {
      const old = createWebhookSecret()
      const until = new Date(stage.clock.now().getTime() + DAY * 1000)
      const { secret } = await stage.addWebhook(receiver.url, {
        old_secret_sealed: seal(stage.keys.publicKey, old),
        old_secret_until: until,
      })
      const actor = await stage.startActor()
      await stage.appendEvent()
      await actor.work()
      stage.clock.advance(DAY)
      await stage.appendEvent()
      await actor.work()
      const [during, after] = receiver.requests.map(({ headers }) => String(headers['x-service-signature']))
      expect(during?.match(/v1=/g)).to.have.length(3)
      expect(after?.match(/v1=/g)).to.have.length(1)
      const [request] = receiver.requests
      for (const one of [old, secret]) {
        new Stripe('sk_test_unused').webhooks.constructEvent(request?.body ?? '', during ?? '', one)
      }
    })
  })

  it('appears in the metrics for operators', async () => {
    receiver.behave((response, _, n) => void response.writeHead(n === 0 ? 500 : 200).end())
    await stage.addWebhook(receiver.url)
    await stage.appendEvent()
    const actor = await stage.startActor()
    await actor.work()
    stage.clock.advance(310)
    const before = await stage.metricsText()
    await actor.work()
    const after = await stage.metricsText()
    expect(before).to.contain('webhook_deliveries_pending{service="test"} 1')
    expect(before).to.contain('webhook_oldest_due_seconds{service="test"} 10')
    expect(before).to.match(/webhook_attempts_total\{[^}]*result="refused"[^}]*\} 1/)
    expect(after).to.contain('webhook_deliveries_pending{service="test"} 0')
    expect(after).to.match(/webhook_attempts_total\{[^}]*result="delivered"[^}]*\} 1/)
  })

  async function outcome(webhookId?: string) {
    return (await stage.listDeliveries(webhookId))[0]
  }

  /** Runs every attempt of a cycle when it is due. */
  async function attemptAll(): Promise<void> {
    const actor = await stage.startActor()
    let elapsed = 0
    for (const seconds of ATTEMPT_DELAYS_SECONDS) {
      stage.clock.advance(seconds - elapsed)
      elapsed = seconds
      await actor.work()
    }
  }

  async function askRetry(deliveryId: string): Promise<void> {
    await ask({ kind: 'delivery_retry', subjectId: deliveryId })
    await stage.fulfil()
  }

  async function ask({ kind, subjectId }: { kind: string; subjectId: string }): Promise<void> {
    const { sql } = stage.database
    await sql`
      insert into requests (id, kind, organization_id, subject_id, payload)
      values (${`req_${kind}_${Math.random()}`}, ${kind}, 'org_one', ${subjectId}, '{"environment":"live"}')`
  }

  /** Deletes a webhook as the API does. */
  async function remove(id: string): Promise<void> {
    const api = connectForTest(stage.database.url.api)
    const at = stage.clock.now()
    const tenant = { organizationId: 'org_one', environment: 'live' } as const
    expect(await deleteWebhook(api, { tenant, id, at })).to.equal(true)
    await api.end()
  }
})
