import { expect } from 'chai'
import { newId } from '../../../shared/domain/ids.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'
import { appendEvent } from '../../support/daemon-rows.ts'
import { insertWebhook, OTHER_ADDRESS, SOME_ADDRESS } from '../../support/rows.ts'

const CHARGE = {
  amount: 10,
  acceptedPayments: [
    { token: 'USDC', network: 'base' },
    { token: 'USDT', network: 'bnb' },
  ],
  expiresIn: 600,
}
const PLACES = {
  'USDC/base': { chain_id: 8453, token_address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' },
  'USDT/base': { chain_id: 8453, token_address: '0xfde4c96c8593536e31f229ea8f37b2ada2699bb2' },
  'USDT/bnb': { chain_id: 56, token_address: '0x55d398326f99059ff775485246999027b3197955' },
} as const
/** Fields of an entry that no quorum has denied and no operator has struck. */
const UNDOUBTED = { doubt: null, struckAt: null }
type Place = keyof typeof PLACES
/** Position of a transfer in its block. */
const MINED = { block_hash: '0xb1', block_timestamp: 1, log_index: 0 }
type Columns = Readonly<Record<string, unknown>>

/** Returns a time after the creation of the charge, so that the test determines the order of entries. */
const at = (seconds: number): Date => new Date(Date.now() + seconds * 1000)

describe('GET /v1/charges/{id}/timeline', () => {
  let api: TestApi
  let key: string
  let id: string

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey())
  })
  beforeEach(async () => {
    id = (await call(api, 'POST /v1/charges', { key, body: CHARGE })).body.id
  })
  after(() => api.stop())

  const read = (chargeId = id, withKey = key): Promise<Answer> =>
    call(api, `GET /v1/charges/${chargeId}/timeline`, { key: withKey })
  const transfer = async (place: Place, columns: Columns = {}) => {
    const [token, network] = place.split('/')
    const row = {
      ...{ charge_id: id, token, network, ...PLACES[place], tx_hash: newId('evt', Date.now()), ordinal: 0 },
      ...{ source: 'contract_watcher', value_atomic: '1', amount_atto: '1', accepted: true },
      ...{ inclusion: 'included', block_number: 1, ...columns },
    }
    await api.owner`insert into transfers ${api.owner(row)}`
    return row
  }
  const splitEvent = async (place: Place, columns: Columns) => {
    const row = {
      ...{ charge_id: id, ...PLACES[place], tx_hash: '0xd1', ordinal: 0, account: SOME_ADDRESS },
      ...{
        inclusion: 'included',
        block_number: 5,
        block_hash: '0x',
        block_timestamp: 1,
        log_index: 1,
        ...columns,
      },
    }
    await api.owner`insert into split_events ${api.owner(row)}`
  }

  it('returns an array that starts with the creation of the charge', async () => {
    const { status, body } = await read()
    const charge = await call(api, `GET /v1/charges/${id}`, { key })
    expect([status, body]).to.deep.equal([200, [{ type: 'charge.created', at: charge.body.createdAt }]])
  })

  it('shows when the charge expired, oldest entry first', async () => {
    await appendEvent(api.owner, {
      type: 'charge.expired',
      category: 'payments',
      chargeId: id,
      createdAt: at(600),
    })
    expect((await read()).body.map(({ type }: { type: string }) => type)).to.deep.equal([
      'charge.created',
      'charge.expired',
    ])
  })

  it('shows every transfer with its exact amount, and marks the transfers that changed the status', async () => {
    const credited = at(3)
    const first = await transfer('USDC/base', {
      ...{ amount_atto: '9000000000000000000', detected_at: at(1), credited_at: credited },
    })
    const second = await transfer('USDT/bnb', {
      ...{ amount_atto: '1000000000000000001', detected_at: at(2), source: 'reconciliation_job' },
      ...{ credited_at: credited, caused_transition: true },
    })
    const creditedAt = credited.toISOString()
    expect((await read()).body.slice(1)).to.deep.equal([
      {
        ...{ type: 'transaction.detected', at: isoOf(first) },
        ...{ token: 'USDC', network: 'base', txHash: first.tx_hash, amount: 9, amountExact: '9' },
        ...{ source: 'contract_watcher', causedTransition: false, creditedAt, refusal: null, ...UNDOUBTED },
      },
      {
        ...{ type: 'transaction.detected', at: isoOf(second) },
        ...{ token: 'USDT', network: 'bnb', txHash: second.tx_hash },
        ...{ amount: 1, amountExact: '1.000000000000000001' },
        ...{ source: 'reconciliation_job', causedTransition: true, creditedAt, refusal: null, ...UNDOUBTED },
      },
    ])
  })

  it('shows a transfer on a pair that the charge does not accept as not credited', async () => {
    await transfer('USDT/base', { accepted: false, amount_atto: '5000000000000000000' })
    expect((await read()).body[1]).to.deep.include({
      ...{ token: 'USDT', network: 'base', amountExact: '5', causedTransition: false, creditedAt: null },
      refusal: 'pair_not_accepted',
    })
  })

  it('shows transfers from the charge’s own split or escrow as not credited', async () => {
    await transfer('USDC/base', { accepted: false, rejection_reason: 'own_money' })
    expect((await read()).body[1]).to.deep.include({ creditedAt: null, refusal: 'own_money' })
  })

  it('shows a simulated transfer without a transaction hash', async () => {
    // A trigger rejects simulated transfers of live charges, so it is disabled here. The timeline does not depend on
    // the environment.
    await api.owner.begin(async (db) => {
      await db`alter table transfers disable trigger user`
      await db`
        insert into transfers (charge_id, network, token, source, request_id, value_atomic, amount_atto, accepted, inclusion)
        values (${id}, 'base', 'USDC', 'sandbox', ${newId('req', Date.now())}, 1, 1, true, 'included')`
      await db`alter table transfers enable trigger user`
    })
    expect((await read()).body[1]).to.deep.include({ source: 'sandbox', txHash: null })
  })

  it('omits transfers and distributions on chains of the other environment', async () => {
    const onTestnet = { chain_id: 84532, token_address: '0x036cbd53842c5426634e7929541ec2318f3dcf7e' }
    await transfer('USDC/base', { tx_hash: '0xlive' })
    await transfer('USDC/base', { ...onTestnet, tx_hash: '0xtestnet', accepted: false })
    const distributed = { kind: 'distributed', amount_atomic: '9000000', applied_at: at(1) }
    await splitEvent('USDC/base', { ...distributed, tx_hash: '0xlive2' })
    await splitEvent('USDC/base', { ...distributed, ...onTestnet, tx_hash: '0xtestnet2' })
    const { body } = await read()
    expect(body.slice(1).map(({ txHash }: { txHash: string }) => txHash)).to.deep.equal(['0xlive', '0xlive2'])
  })

  it('omits an orphaned transfer, unless it was credited', async () => {
    await transfer('USDC/base', { inclusion: 'orphaned' })
    await transfer('USDC/base', { inclusion: 'orphaned', credited_at: new Date(), tx_hash: '0xkept' })
    expect((await read()).body.slice(1).map(({ txHash }: { txHash: string }) => txHash)).to.deep.equal([
      '0xkept',
    ])
  })

  it('keeps a transfer that a quorum denied, and marks it', async () => {
    const denied = { inclusion: 'orphaned', block_hash: '0xb1', denied_block_hash: '0xb1' }
    await transfer('USDC/base', denied)
    expect((await read()).body[1]).to.deep.include({ doubt: 'denied', struckAt: null, creditedAt: null })
  })

  it('keeps a transfer that an operator struck, marks it, and never shows the operator’s reason', async () => {
    const { tx_hash: txHash } = await transfer('USDC/base', {
      credited_at: at(1),
      sender: SOME_ADDRESS,
      ...MINED,
    })
    await splitEvent('USDC/base', { kind: 'distributed', amount_atomic: '9000000', applied_at: at(2) })
    await api.owner`
      insert into strike_orders (kind, row_id, charge_id, chain_id, reason)
      select 'transfer', id, charge_id, chain_id, 'a secret' from transfers where charge_id = ${id}
      union all
      select 'split-event', id, charge_id, chain_id, 'a secret' from split_events where charge_id = ${id}`
    await api.owner`select strike_row(o.id) from strike_orders o where o.charge_id = ${id}`
    const { body } = await read()
    const shown = body.slice(1)
    expect(shown.map(({ doubt, txHash: hash }: Answer['body']) => [doubt, hash])).to.deep.equal([
      ['struck', txHash],
      ['struck', '0xd1'],
    ])
    for (const { struckAt } of shown) expect(Date.parse(struckAt)).to.be.closeTo(Date.now(), 60_000)
    expect(JSON.stringify(body)).to.not.include('a secret')
  })

  it('shows each distribution above zero once it is at confirmation depth, in dollars', async () => {
    const events = { kind: 'distributed', amount_atomic: '9000000', applied_at: at(1) }
    await splitEvent('USDC/base', events)
    await splitEvent('USDT/bnb', { ...events, amount_atomic: '1000000000000000001', applied_at: at(2) })
    await splitEvent('USDC/base', { ...events, tx_hash: '0xd2', applied_at: null })
    await splitEvent('USDC/base', { ...events, tx_hash: '0xd3', amount_atomic: '0' })
    const { body } = await read()
    expect(body.slice(1)).to.deep.equal([
      {
        ...{ type: 'split.distributed', at: events.applied_at.toISOString(), token: 'USDC', network: 'base' },
        ...{ txHash: '0xd1', amount: 9, amountExact: '9', held: [], ...UNDOUBTED },
      },
      {
        ...{ type: 'split.distributed', at: body[2].at, token: 'USDT', network: 'bnb', txHash: '0xd1' },
        ...{ amount: 1, amountExact: '1.000000000000000001', held: [], ...UNDOUBTED },
      },
    ])
  })

  it('shows the shares that a distribution held for individual recipients, and when a share was released', async () => {
    const applied = { applied_at: at(1) }
    await splitEvent('USDC/base', {
      kind: 'distributed',
      amount_atomic: '10000000',
      log_index: 4,
      ...applied,
    })
    const held = { kind: 'held', amount_atomic: '250000', ...applied }
    await splitEvent('USDC/base', { ...held, account: SOME_ADDRESS, log_index: 2 })
    await splitEvent('USDC/base', { ...held, account: OTHER_ADDRESS, log_index: 3, ordinal: 1 })
    const released = at(90)
    await splitEvent('USDC/base', {
      ...{ kind: 'released', amount_atomic: '250000', account: OTHER_ADDRESS, tx_hash: '0xd9' },
      ...{ block_number: 9, applied_at: released },
    })
    const { body } = await read()
    expect(body[1].held).to.deep.equal([
      { address: SOME_ADDRESS, amount: 0.25, amountExact: '0.25', releasedAt: null },
      { address: OTHER_ADDRESS, amount: 0.25, amountExact: '0.25', releasedAt: released.toISOString() },
    ])
  })

  it('shows the webhook deliveries of the charge’s events from their first attempt on', async () => {
    await insertWebhook(api.owner, { id: 'wh_one', events: ['*'] })
    const { body: created } = await call(api, 'POST /v1/charges', { key, body: CHARGE })
    id = created.id
    expect((await read()).body, 'not attempted yet').to.have.length(1)
    const [delivery] = await api.owner<{ publicId: string }[]>`
      update deliveries set first_attempted_at = ${at(1)} where charge_id = ${id} returning public_id`
    const ids = { webhookId: 'wh_one', deliveryId: delivery?.publicId }
    const dispatched = { type: 'webhook.dispatched', ...ids }
    const { body: pending } = await read()
    expect(pending.slice(1)).to.deep.equal([{ ...dispatched, at: pending[1].at }])

    for (const status of ['delivered', 'failed'] as const) {
      const times = { delivered_at: null, failed_at: null, [`${status}_at`]: at(2) }
      await api.owner`
        update deliveries set ${api.owner({ status, next_attempt_at: null, ...times })} where charge_id = ${id}`
      const { body } = await read()
      expect(body.slice(1)).to.deep.equal([
        { ...dispatched, at: body[1].at },
        { type: `webhook.${status}`, at: body[2].at, ...ids },
      ])
    }
    await api.owner`update webhooks set deleted_at = now()`
  })

  it('does not show entries of another charge', async () => {
    await transfer('USDC/base')
    const { body: other } = await call(api, 'POST /v1/charges', { key, body: CHARGE })
    expect((await read(other.id)).body).to.have.length(1)
  })

  it('returns the same 404 as GET /v1/charges/{id}, and requires the scope', async () => {
    const foreign = await api.issueKey({ organization: 'org_two' })
    const test = await api.issueKey({ environment: 'test' })
    const writer = await api.issueKey({ scopes: ['charges:write'] })
    expectError(await read(id, foreign.key), '404 charge_not_found')
    expectError(await read(id, test.key), '404 charge_not_found')
    expectError(await read(newId('ch', Date.now())), '404 charge_not_found')
    expectError(await read('ch_%ff'), '404 charge_not_found')
    expectError(await read(id, writer.key), '403 insufficient_scope')
    expectError(await call(api, `GET /v1/charges/${id}/timeline`), '401 missing_api_key')
    expectError(
      await call(api, `GET /v1/charges/${id}/timeline?limit=5`, { key }),
      '400 validation_error',
      'limit',
    )
  })
})

function isoOf(row: Columns): string {
  const moment = row['detected_at']
  return moment instanceof Date ? moment.toISOString() : expect.fail('not detected')
}
