import { expect } from 'chai'
import type { ChargeActorDeps } from '../../../indexer/charges/charge-actor.ts'
import { processTrigger } from '../../../indexer/charges/trigger-worker.ts'
import { createTurnFailureTracker } from '../../../indexer/charges/turn-failure-tracker.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { createLoop, type Loop } from '../../../shared/runtime/poll-loop.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'
import { MINIMUM_PAYOUT } from '../../support/factories.ts'
import { connectForTest } from '../../support/postgres.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { insertWebhook } from '../../support/rows.ts'
import { runClient } from '../../support/run-client.ts'

const CHARGE = { amount: 10, acceptedPayments: [{ token: 'USDC', network: 'base' }], expiresIn: 600 }

type Case = readonly [before: readonly string[], event: string]

describe('POST /v1/sandbox/charges/{id}/trigger', function () {
  this.timeout(240_000)
  let api: TestApi
  let daemon: Sql
  let loop: Loop
  let key: string

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey({
      environment: 'test',
      scopes: ['charges:read', 'charges:write', 'sandbox:trigger'],
    }))
    daemon = connectForTest(api.database.url.daemon)
    const { log } = recordingLog()
    const deps: ChargeActorDeps = {
      ...{ sql: daemon, log, now: () => new Date(), graceSeconds: 300, expiry: { silentSeconds: 900 } },
      minimumPayoutOf: () => MINIMUM_PAYOUT,
      checkoutBaseUrl: null,
      swapProvider: null,
      failedTurns: createTurnFailureTracker(),
      onEvents: () => undefined,
    }
    loop = createLoop({ name: 'sandbox', intervalMs: 20, turn: () => processTrigger(deps), log })
    loop.start()
  })
  after(async () => {
    await loop.stop()
    await daemon.end()
    await api.stop()
  })

  const create = async (body: object = CHARGE): Promise<string> =>
    (await call(api, 'POST /v1/charges', { key, body })).body.id
  const trigger = (id: string, body: object, withKey = key): Promise<Answer> =>
    call(api, `POST /v1/sandbox/charges/${id}/trigger`, { key: withKey, body })
  /** Creates a charge, triggers these events, and returns the charge’s id. */
  const createAfter = async (events: readonly string[]): Promise<string> => {
    const id = await create()
    for (const event of events) expect((await trigger(id, { event })).status).to.equal(200)
    return id
  }
  const eventsOf = async (id: string): Promise<string[]> =>
    (
      await api.owner<{ type: string }[]>`select type from events where charge_id = ${id} order by number`
    ).map(({ type }) => type)

  it('confirms a charge as a payment would, and returns the charge', async () => {
    const id = await create()
    const { body } = await trigger(id, { event: 'charge.confirmed' })
    expect(body).to.deep.include({
      ...{
        id,
        status: 'confirmed',
        settlementStatus: 'pending',
        amountReceivedExact: '10',
        isOverpaid: false,
      },
      ...{ txHash: null, paidWith: [{ token: 'USDC', network: 'base' }] },
    })
    expect(await eventsOf(id)).to.deep.equal(['charge.created', 'charge.confirmed'])
    const credits = await api.owner`
      select source, chain_id, tx_hash, caused_transition, on_time from transfers where charge_id = ${id}`
    expect(credits).to.deep.equal([
      { source: 'sandbox', chainId: null, txHash: null, causedTransition: true, onTime: true },
    ])
  })

  it('records the given payer as the sender', async () => {
    const from = `0x${'12'.repeat(20)}`
    const [named, other] = [await create(), await create()]
    await trigger(named, { event: 'charge.confirmed', from })
    await trigger(other, { event: 'charge.confirmed' })
    const senderOf = async (id: string) =>
      (await api.owner`select sender from transfers where charge_id = ${id}`)[0]?.['sender']
    expect([await senderOf(named), await senderOf(other)]).to.deep.equal([from, null])
  })

  it('settles a confirmed charge on request, without a payout, a ledger or a keeper event', async () => {
    const id = await createAfter(['charge.confirmed', 'charge.settled'])
    const { body } = await call(api, `GET /v1/charges/${id}`, { key })
    expect(body.settlementStatus).to.equal('completed')
    expect(body.settledAt).to.be.a('string')
    expect(await eventsOf(id)).to.deep.equal(['charge.created', 'charge.confirmed', 'charge.settled'])
    const [rows] = await api.owner`
      select (select count(*) from payouts where charge_id = ${id}) as payouts,
        (select count(*) from charge_ledgers where charge_id = ${id}) as pairs,
        (select count(*) from events where category = 'distributions') as offers`
    expect(rows).to.deep.equal({ payouts: 0, pairs: 0, offers: 0 })
  })

  it('pays the given amount, or by default half for charge.partially_paid and 1.5 times the amount for charge.overpaid', async () => {
    const half = await createAfter(['charge.partially_paid'])
    expect((await call(api, `GET /v1/charges/${half}`, { key })).body.amountReceivedExact).to.equal('5')
    const over = await trigger(half, { event: 'charge.overpaid' })
    expect(over.body).to.include({ status: 'confirmed', amountReceivedExact: '15', isOverpaid: true })
    expect(await eventsOf(half)).to.have.members([
      'charge.created',
      'charge.partially_paid',
      'charge.confirmed',
      'charge.overpaid',
    ])
    const id = await create()
    const given = await trigger(id, { event: 'charge.partially_paid', amount: 0.000001 })
    expect(given.body.amountReceivedExact).to.equal('0.000001')
    const rest = await trigger(id, { event: 'charge.confirmed' })
    expect(rest.body).to.include({ amountReceivedExact: '10', isOverpaid: false })
  })

  it('queues the event only for webhooks that subscribe to it', async () => {
    await insertWebhook(api.owner, { id: 'wh_sandbox', environment: 'test', events: ['charge.underpaid'] })
    const id = await createAfter(['charge.partially_paid', 'charge.underpaid'])
    const deliveries = await api.owner`
      select e.type from deliveries d join events e on e.number = d.event_number where d.webhook_id = 'wh_sandbox' and e.charge_id = ${id}`
    expect(deliveries).to.deep.equal([{ type: 'charge.underpaid' }])
  })

  const REACHABLE: readonly Case[] = [
    [[], 'charge.expired'],
    [['charge.confirmed'], 'charge.overpaid'],
    [['charge.confirmed'], 'charge.settlement_failed'],
    [['charge.confirmed', 'charge.settlement_failed'], 'charge.settled'],
    [['charge.partially_paid', 'charge.underpaid'], 'charge.settled'],
  ]
  for (const [events, event] of REACHABLE) {
    it(`triggers ${event} after ${events.join(', ') || 'no event'}`, async () => {
      const id = await createAfter([...events, event])
      expect((await eventsOf(id)).at(-1)).to.equal(event)
    })
  }

  const UNREACHABLE: readonly Case[] = [
    [[], 'charge.underpaid'],
    [[], 'charge.settled'],
    [[], 'charge.settlement_failed'],
    [['charge.partially_paid'], 'charge.partially_paid'],
    [['charge.partially_paid'], 'charge.expired'],
    [['charge.partially_paid'], 'charge.settled'],
    [['charge.confirmed'], 'charge.confirmed'],
    [['charge.confirmed'], 'charge.partially_paid'],
    [['charge.confirmed'], 'charge.expired'],
    [['charge.overpaid'], 'charge.overpaid'],
    [['charge.expired'], 'charge.confirmed'],
    [['charge.confirmed', 'charge.settled'], 'charge.settled'],
    [['charge.confirmed', 'charge.settled'], 'charge.settlement_failed'],
  ]
  for (const [events, event] of UNREACHABLE) {
    it(`rejects ${event} after ${events.join(', ') || 'no event'}, and records no event`, async () => {
      const id = await createAfter(events)
      expectError(await trigger(id, { event }), '422 invalid_trigger_state')
      expect(await eventsOf(id)).to.have.lengthOf((await eventsOf(await createAfter(events))).length)
    })
  }

  it('rejects an amount that is too high or too low for the event', async () => {
    const id = await create()
    for (const [event, amount] of [
      ['charge.partially_paid', 10],
      ['charge.overpaid', 10],
      ['charge.confirmed', 9.999999],
    ]) {
      expectError(await trigger(id, { event, amount }), '400 invalid_amount', 'amount')
    }
    expect(await eventsOf(id)).to.deep.equal(['charge.created'])
  })

  it('rejects an invalid trigger', async () => {
    const id = await create()
    const event = 'charge.confirmed'
    expectError(await trigger(id, {}), '400 validation_error', 'event')
    expectError(await trigger(id, { event: 'charge.created' }), '400 validation_error', 'event')
    expectError(await trigger(id, { event, amount: 0 }), '400 validation_error', 'amount')
    expectError(await trigger(id, { event, amount: 1_000_000_000_000 }), '400 validation_error', 'amount')
    expectError(await trigger(id, { event: 'charge.expired', amount: 1 }), '400 validation_error', 'amount')
    expectError(await trigger(id, { event, token: 'USDC' }), '400 validation_error', 'network')
    expectError(await trigger(id, { event, network: 'base' }), '400 validation_error', 'token')
    expectError(await trigger(id, { event, from: '0x12' }), '400 validation_error', 'from')
    const from = `0x${'12'.repeat(20)}`
    expectError(await trigger(id, { event: 'charge.expired', from }), '400 validation_error', 'from')
    expectError(
      await trigger(id, { event, token: 'USDT', network: 'base' }),
      '422 payment_pair_not_accepted',
      'network',
    )
  })

  it('rejects live keys, other organizations and keys without the scope', async () => {
    const id = await create()
    const body = { event: 'charge.confirmed' }
    const live = await api.issueKey({ environment: 'live', scopes: ['sandbox:trigger'] })
    expectError(await trigger(id, body, live.key), '403 forbidden')
    expectError(await trigger('ch_nothing', body, live.key), '403 forbidden')
    const other = await api.issueKey({
      organization: 'org_two',
      environment: 'test',
      scopes: ['sandbox:trigger'],
    })
    expectError(await trigger(id, body, other.key), '404 charge_not_found')
    const reader = await api.issueKey({ environment: 'test', scopes: ['charges:write'] })
    expectError(await trigger(id, body, reader.key), '403 insufficient_scope')
  })

  it('reports a failed trigger, and still executes another trigger', async () => {
    const [broken, sound] = [await create(), await create()]
    await api.owner.unsafe(
      `alter table transfers add constraint broken check (charge_id <> '${broken}') not valid`,
    )
    const [failed, done] = await Promise.all([
      trigger(broken, { event: 'charge.confirmed' }),
      trigger(sound, { event: 'charge.confirmed' }),
    ])
    await api.owner`alter table transfers drop constraint broken`
    expectError(failed, '500 internal_error')
    expect(done.status).to.equal(200)
    expect(await eventsOf(broken)).to.deep.equal(['charge.created'])
  })

  it('rejects a trigger while another trigger is open, and executes only one of two simultaneous triggers', async () => {
    const id = await create()
    await api.owner`
      insert into requests (id, kind, organization_id, charge_id, payload, consumed_at)
      values ('req_open', 'sandbox_trigger', 'org_one', ${id}, '{}', now())`
    expectError(await trigger(id, { event: 'charge.confirmed' }), '409 request_in_progress')
    await api.owner`delete from requests where id = 'req_open'`
    const both = await Promise.all([1, 2].map(() => trigger(id, { event: 'charge.confirmed' })))
    const [done, refused] = both.map(({ status }) => status).toSorted((left, right) => left - right)
    expect(done).to.equal(200)
    expect(refused).to.be.oneOf([409, 422])
    expect(await eventsOf(id)).to.deep.equal(['charge.created', 'charge.confirmed'])
  })

  describe('npm run svc -- sandbox trigger', function () {
    this.timeout(240_000)
    const svc = (args: readonly string[], withKey = key) =>
      runClient('svc', ['sandbox', 'trigger', ...args], { SVC_API_URL: api.baseUrl, SVC_API_KEY: withKey })

    it('pays the given amount, and prints the resulting charge', async () => {
      const id = await create()
      const { stdout, exitCode } = await svc([id, 'charge.overpaid', '--amount', '12', '--with', 'USDC@base'])
      expect(stdout).to.equal('confirmed  12 of 10 USD, settlement pending\n')
      expect(exitCode).to.equal(0)
    })

    it('explains an unknown event, an impossible event, and a live key', async () => {
      const id = await create()
      const live = await api.issueKey({ environment: 'live', scopes: ['sandbox:trigger'] })
      const runs = await Promise.all([
        svc([id, 'charge.paid']),
        svc([id, 'charge.settled']),
        svc([id, 'charge.confirmed'], live.key),
      ])
      const [wrong, early, forbidden] = runs.map(({ stderr }) => stderr)
      expect(wrong).to.include('"charge.paid" cannot be triggered; it must be one of charge.confirmed, ')
      expect(early).to.include('invalid_trigger_state: ')
      expect(forbidden).to.include('SVC_API_KEY to a key that starts with svc_test_')
      expect(runs.map(({ exitCode }) => exitCode)).to.deep.equal([1, 1, 1])
    })
  })
})
