import { expect } from 'chai'
import { runDeliveryRetention } from '../../../indexer/webhooks/delete-old-deliveries.ts'
import { type Receiver, refuse, startReceiver } from '../../support/receiver.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { createWebhookFixture, type StagedActor, type WebhookFixture } from '../../support/webhook-fixture.ts'

const HOUR = 3600

describe('events about endpoints', () => {
  let stage: WebhookFixture
  let receiver: Receiver
  let watcher: Receiver
  let actor: StagedActor
  let webhookId: string

  beforeEach(async () => {
    stage = await createWebhookFixture()
    receiver = await startReceiver()
    watcher = await startReceiver()
    actor = await stage.startActor()
    webhookId = (await stage.addWebhook(receiver.url, { events: ['charge.confirmed'] })).id
    await stage.addWebhook(watcher.url, { events: [], event_categories: ['webhooks'] })
  })

  afterEach(async () => {
    await receiver.stop()
    await watcher.stop()
    await stage.stop()
  })

  it('include delivery_failed once after a delivery has used up its five attempts', async () => {
    receiver.behave(refuse(500))
    await stage.appendEvent()
    for (const seconds of [0, 300, 1500, 5400]) await attempt(seconds)
    expect(await stage.listSignals()).to.deep.equal([])
    await attempt(22 * HOUR)
    // The first of the five attempts is 24 hours old by now, and four attempts are too few for a ratio.
    expect(await stage.listSignals()).to.deep.equal(['webhook.delivery_failed'])
    expect(told()).to.deep.equal([
      { event: 'webhook.delivery_failed', data: { webhookId, url: receiver.url } },
    ])
    await attempt(48 * HOUR)
    expect(await stage.listSignals()).to.have.length(1)
  })

  it('include endpoint_unhealthy if more than 20 % of at least five attempts failed, and delivery_recovered at the next success, once each', async () => {
    receiver.behave((response, _, n) => void response.writeHead(n < 2 ? 500 : 200).end())
    for (let n = 0; n < 4; n += 1) await deliver()
    expect(await stage.listSignals()).to.deep.equal([])
    await deliver()
    expect(await stage.listSignals()).to.deep.equal(['webhook.endpoint_unhealthy'])
    expect(told()[0]?.data).to.deep.equal({ webhookId, url: receiver.url, failureRatio: 0.4 })
    await deliver()
    await deliver()
    expect(await stage.listSignals()).to.deep.equal([
      'webhook.endpoint_unhealthy',
      'webhook.delivery_recovered',
    ])
  })

  it('include another endpoint_unhealthy only after the failure ratio was below 20 %', async () => {
    let fails = true
    receiver.behave((response) => void response.writeHead(fails ? 500 : 200).end())
    for (let n = 0; n < 5; n += 1) await deliver()
    fails = false
    for (let n = 0; n < 20; n += 1) await deliver()
    fails = true
    await deliver() // 6 of 26 failed. The ratio was exactly 20 % at 5 of 25, but not below.
    expect(await unhealthy()).to.equal(1)
    fails = false
    for (let n = 0; n < 5; n += 1) await deliver() // 6 of 31
    fails = true
    await deliver() // 7 of 32
    expect(await unhealthy()).to.equal(2)
  })

  it('do not depend on attempts older than 24 hours', async () => {
    receiver.behave((response, _, n) => void response.writeHead(n < 4 ? 500 : 200).end())
    for (let n = 0; n < 4; n += 1) await deliver()
    // Ends the retries of these four deliveries.
    await stage.database.sql`
      update deliveries set status = 'failed', failed_at = now(), next_attempt_at = null where status = 'pending'`
    stage.clock.advance(24 * HOUR)
    for (let n = 0; n < 6; n += 1) await deliver()
    expect(await stage.listSignals()).to.deep.equal([])
  })

  it('depend on every attempt, even if many attempts are recorded together', async () => {
    receiver.behave((response, _, n) => void response.writeHead(n % 2 === 0 ? 500 : 200).end())
    for (let n = 0; n < 40; n += 1) await stage.appendEvent()
    await actor.work()
    const [sum] = await stage.database.sql<{ finished: number; failed: number }[]>`
      select sum(finished)::int8 as finished, sum(failed)::int8 as failed from endpoint_attempts
      where webhook_id = ${webhookId}`
    expect(sum).to.deep.equal({ finished: 40, failed: 20 })
    expect(await unhealthy()).to.equal(1)
  })

  it('do not cause events about their own deliveries, which do not count for the ratio', async () => {
    watcher.behave(refuse(500))
    receiver.behave(refuse(500))
    for (let n = 0; n < 3; n += 1) await stage.appendEvent()
    for (const seconds of [0, 300, 1500, 5400, 22 * HOUR]) await attempt(seconds)
    const before = await stage.listSignals()
    expect(before.filter((type) => type === 'webhook.delivery_failed')).to.have.length(3)
    for (const seconds of [300, 1500, 5400, 24 * HOUR, HOUR]) await attempt(seconds)
    expect(await stage.listSignals()).to.deep.equal(before)
    const counted = await stage.database.sql`select distinct webhook_id from endpoint_attempts`
    expect(counted).to.deep.equal([{ webhookId }])
    expect(watcher.requests.length).to.be.above(4)
  })

  it('do not depend on tests of an endpoint', async () => {
    receiver.behave(refuse(500))
    await stage.database.sql`
      insert into requests (id, kind, organization_id, subject_id, payload)
      values ('req_1', 'webhook_test', 'org_one', ${webhookId}, '{"environment":"live"}')`
    await stage.fulfil()
    await actor.work()
    expect(receiver.requests).to.have.length(1)
    expect(await stage.database.sql`select webhook_id from endpoint_attempts`).to.deep.equal([])
  })

  describe('the retention job', () => {
    it('deletes finished deliveries and counts older than the retention period, but no pending deliveries', async () => {
      receiver.behave((response, _, n) => void response.writeHead(n === 0 ? 500 : 200).end())
      for (let n = 0; n < 3; n += 1) await stage.appendEvent()
      await actor.work()
      expect(await statuses()).to.deep.equal(['delivered', 'delivered', 'pending'])
      expect(await prune()).to.equal('idle')
      expect(await statuses()).to.have.length(3)
      stage.clock.advance(91 * 24 * HOUR)
      await prune()
      expect(await statuses()).to.deep.equal(['pending'])
      expect(await stage.database.sql`select hour from endpoint_attempts`).to.deep.equal([])
    })
  })

  async function prune(): Promise<'more' | 'idle'> {
    const { sql, clock } = stage
    const metrics = { countPruned: () => {} }
    const { log } = recordingLog()
    return runDeliveryRetention({ sql, clock: clock.now, log, metrics, retentionDays: 90 })
  }

  async function statuses(): Promise<readonly string[]> {
    return (await stage.listDeliveries()).map(({ status }) => status).toSorted()
  }

  async function deliver(): Promise<void> {
    await stage.appendEvent()
    await actor.work()
  }

  async function attempt(afterSeconds: number): Promise<void> {
    stage.clock.advance(afterSeconds)
    await actor.work()
  }

  async function unhealthy(): Promise<number> {
    const signals = await stage.listSignals()
    return signals.filter((type) => type === 'webhook.endpoint_unhealthy').length
  }

  function told(): { event: string; data: unknown }[] {
    return watcher.requests.map(({ body }) => {
      const { event, data } = JSON.parse(body)
      return { event, data }
    })
  }
})
