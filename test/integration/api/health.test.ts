import { expect } from 'chai'
import { createHealthCheck } from '../../../api/health/check-health.ts'
import { healthRoutes } from '../../../api/health/routes.ts'
import { insertDeliveries } from '../../../shared/db/events/daemon/insert-deliveries.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call } from '../../support/call-route.ts'
import { createDatabaseLink, type DatabaseLink } from '../../support/database-link.ts'
import { insertWebhook } from '../../support/rows.ts'

describe('GET /v1/health', () => {
  let api: TestApi

  beforeEach(async () => {
    api = await startTestApi()
  })
  afterEach(() => api.stop())

  it('responds without a key, with null ages if no charge or payment exists', async () => {
    const { status, body } = await call(api, 'GET /v1/health')
    expect(status).to.equal(200)
    expect(body).to.deep.include({
      status: 'ok',
      version: '1.2.3',
      db: 'ok',
      pendingWebhooks: 0,
      oldestPendingChargeAgeSeconds: null,
      lastContractWatcherEventAgeSeconds: null,
    })
    expect(Math.abs(Date.parse(body.timestamp) - Date.now())).to.be.below(60_000)
  })

  it('returns the number of pending webhook deliveries, and the ages of the oldest pending charge and the last payment', async () => {
    const { key } = await api.issueKey()
    await insertWebhook(api.owner, { id: 'wh_one', events: ['*'] })
    const CHARGE = { amount: 1, acceptedPayments: [{ token: 'USDC', network: 'base' }], expiresIn: 600 }
    const { body: charge } = await call(api, 'POST /v1/charges', { key, body: CHARGE })
    await api.owner`update charges set created_at = created_at - interval '100 seconds'`
    await api.owner`
      insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, value_atomic,
        amount_atto, accepted, inclusion, block_number, detected_at)
      values (${charge.id}, 'base', 'USDC', 'contract_watcher', 8453, '0x', '0xaa', 0, 1, 1, true, 'included', 1,
        now() - interval '50 seconds')`
    const { body } = await call(api, 'GET /v1/health')
    expect(body.pendingWebhooks).to.equal(1)
    expect(body.oldestPendingChargeAgeSeconds).to.be.within(100, 160)
    expect(body.lastContractWatcherEventAgeSeconds).to.be.within(50, 110)
  })

  it('includes payments on TRON in the age of the last payment', async () => {
    const { key } = await api.issueKey()
    const CHARGE = { amount: 1, acceptedPayments: [{ token: 'USDC', network: 'base' }], expiresIn: 600 }
    const { body: charge } = await call(api, 'POST /v1/charges', { key, body: CHARGE })
    await api.owner`
      insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, value_atomic,
        amount_atto, accepted, inclusion, block_number, detected_at)
      values (${charge.id}, 'tron', 'USDT', 'tron_watcher', 8453, '0x', '0xaa', 0, 1, 1, true, 'included', 1,
        now() - interval '50 seconds')`
    const { body } = await call(api, 'GET /v1/health')
    expect(body.lastContractWatcherEventAgeSeconds).to.be.within(50, 110)
  })

  it('refreshes the counts at most every five seconds', async () => {
    let nowMs = 0
    const check = createHealthCheck(api.owner, { nowMs: () => nowMs, timeoutMs: 60_000 })
    await check()
    await api.issueKey()
    await insertWebhook(api.owner, { id: 'wh_one', events: ['*'] })
    await api.owner`
      with inserted as (
        insert into events as e (id, category, type, organization_id, environment, data, created_at)
        values ('evt_1', 'payments', 'charge.created', 'org_one', 'live', '{}', now())
        returning e as event)
      ${insertDeliveries(api.owner)}`
    nowMs += 4_999
    expect((await check()).counts.pendingWebhooks).to.equal(0)
    nowMs += 1
    expect((await check()).counts.pendingWebhooks).to.equal(1)
  })
})

describe('simultaneous health requests', () => {
  it('share one statement', async () => {
    const api = await startTestApi()
    let counts = 0
    const sql = new Proxy(api.owner, {
      apply: (target, self, args: unknown[]) => {
        if (String(args[0]).includes('from deliveries')) counts += 1
        return Reflect.apply(target as never, self, args)
      },
    })
    const [route] = healthRoutes({ sql, version: '1.2.3' })
    if (route === undefined) throw new Error('there is no route')
    await Promise.all(Array.from({ length: 8 }, () => route.handle({} as never, {} as never)))
    expect(counts).to.equal(1)
    await api.stop()
  })
})

describe('health with a database that does not respond', () => {
  it('returns 503 in its own response format', async () => {
    const link = await createDatabaseLink()
    const api = await startTestApi({}, (config) => ({
      ...config,
      databaseUrl: link.through(config.databaseUrl),
    }))
    try {
      expect((await call(api, 'GET /v1/health')).status).to.equal(200)
      link.silence()
      const { status, headers, body } = await call(api, 'GET /v1/health')
      expect(status).to.equal(503)
      expect(headers.get('retry-after')).to.equal('5')
      expect(body).to.include({ status: 'error', db: 'error' })
    } finally {
      await link.cut()
      await api.stop()
    }
  }).timeout(240_000)
})

describe('the API with the database down', () => {
  let api: TestApi
  let key: string
  let link: DatabaseLink

  before(async () => {
    link = await createDatabaseLink()
    api = await startTestApi({}, (config) => ({ ...config, databaseUrl: link.through(config.databaseUrl) }))
    ;({ key } = await api.issueKey())
    expect((await call(api, 'GET /v1/networks', { key })).status).to.equal(200)
    await link.cut()
  })
  after(() => api.stop())

  it('returns 503 service_unavailable in the format of all errors', async () => {
    const answer = await call(api, 'GET /v1/networks', { key })
    expect(answer.status, answer.text).to.equal(503)
    expect(answer.body.error.code).to.equal('service_unavailable')
    expect(answer.headers.get('retry-after')).to.match(/^\d+$/)
  })

  it('returns 503 from health in its own response format', async () => {
    const { status, body } = await call(api, 'GET /v1/health')
    expect(status).to.equal(503)
    expect(body).to.include({ status: 'error', db: 'error', version: '1.2.3' })
  })
})
