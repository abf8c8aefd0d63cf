import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { startTestApi, type TestApi, TREASURY } from '../../support/api.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'

const ON_BASE = { token: 'USDC', network: 'base' }
const ON_BNB = { token: 'USDT', network: 'bnb' }
const QUOTE = { inputToken: 'ETH', inputNetwork: 'base', takerAddress: `0x${'12'.repeat(20)}` }

describe('the availability of a charge', () => {
  let api: TestApi
  let key: string

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey())
  })
  after(() => api.stop())

  const create = (acceptedPayments: readonly object[] = [ON_BASE], withKey = key): Promise<Answer> =>
    call(api, 'POST /v1/charges', { key: withKey, body: { amount: 10, expiresIn: 600, acceptedPayments } })
  const read = (id: string): Promise<Answer> => call(api, `GET /v1/charges/${id}`, { key })
  const quote = (id: string, change: object = {}, withKey = key): Promise<Answer> =>
    call(api, `POST /v1/charges/${id}/quote`, { key: withKey, body: { ...QUOTE, ...change } })

  it('ends when an operator pauses the only pair of the charge, and returns when the operator resumes the pair', async () => {
    const { id } = (await create()).body
    const other = (await create([ON_BNB])).body
    await pairs('pause')
    const refused = await create([ON_BNB, ON_BASE])
    expectError(refused, '503 payment_temporarily_unavailable', 'acceptedPayments[1]')
    const networks = await call(api, 'GET /v1/networks', { key })
    expect(networks.body.acceptedPayments).to.not.deep.include(ON_BASE)
    const { data } = (await call(api, 'GET /v1/charges', { key })).body
    expect([data[1].paymentUnavailable, data[0].paymentUnavailable]).to.deep.equal([true, false])
    expect((await read(id)).body).to.deep.include({ paymentUnavailable: true, status: 'pending' })
    expect((await read(other.id)).body.paymentUnavailable).to.equal(false)
    expectError(await quote(id), '503 payment_temporarily_unavailable')
    const drawn = await call(api, `GET /v1/charges/${id}/qrcode`, { key })
    expectError(drawn, '503 payment_temporarily_unavailable')

    await pairs('resume')
    expect((await read(id)).body.paymentUnavailable).to.equal(false)
    expect((await create()).status).to.equal(201)
  }).timeout(240_000)

  async function pairs(verb: 'pause' | 'resume'): Promise<void> {
    await promisify(execFile)('npm', ['run', 'pairs', '--', verb, 'USDC', 'base', '--env', 'live'], {
      env: {
        ...process.env,
        OPERATOR_DATABASE_URL: api.database.url.operator,
        TREASURY_ADDRESS: TREASURY,
      },
    })
  }

  describe('POST /v1/charges/{id}/quote', () => {
    it('returns 503 for a live charge without a configured provider', async () => {
      expectError(await quote((await create()).body.id), '503 swap_unavailable')
    })

    it('returns 422 for a test charge', async () => {
      const test = await api.issueKey({ environment: 'test' })
      const { id } = (await create([ON_BASE], test.key)).body
      expectError(await quote(id, {}, test.key), '422 swap_test_environment_unsupported')
    })

    for (const status of ['confirmed', 'expired', 'underpaid']) {
      it(`returns 409 for a charge that is ${status}`, async () => {
        const { id } = (await create()).body
        await api.owner`
          update charges set status = ${status}, confirmed_at = ${status === 'confirmed' ? new Date() : null}
          where id = ${id}`
        expectError(await quote(id), '409 charge_not_payable')
      })
    }

    it('returns 404 for another organization’s charge and requires the scope', async () => {
      const { id } = (await create()).body
      const other = await api.issueKey({ organization: 'org_two' })
      const reader = await api.issueKey({ scopes: ['charges:read'] })
      expectError(await quote(id, {}, other.key), '404 charge_not_found')
      expectError(await quote('ch_none'), '404 charge_not_found')
      expectError(await quote(id, {}, reader.key), '403 insufficient_scope')
    })

    for (const [change, param] of [
      [{ inputToken: 'USDC' }, 'inputToken'],
      [{ inputNetwork: 'solana' }, 'inputNetwork'],
      [{ takerAddress: '0x12' }, 'takerAddress'],
      [{ takerAddress: undefined }, 'takerAddress'],
      [{ amount: 1 }, 'amount'],
    ] as const) {
      it(`rejects ${JSON.stringify(change)}`, async () => {
        expectError(await quote('ch_none', change), '400 validation_error', param)
      })
    }

    it('is limited to ten requests a minute per charge', async () => {
      const { id } = (await create()).body
      for (let count = 0; count < 10; count += 1) expectError(await quote(id), '503 swap_unavailable')
      const refused = await quote(id)
      expectError(refused, '429 rate_limited')
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
      expectError(await quote((await create()).body.id), '503 swap_unavailable')
    })
  })
})
