import { expect } from 'chai'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call, expectError } from '../../support/call-route.ts'

const CHARGE = {
  amount: 10,
  acceptedPayments: [
    { token: 'USDC', network: 'base' },
    { token: 'USDT', network: 'bnb' },
  ],
  expiresIn: 600,
}

describe('GET /v1/charges/{id}', () => {
  let api: TestApi
  let key: string
  let id: string

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey())
    id = (await call(api, 'POST /v1/charges', { key, body: CHARGE })).body.id
  })
  after(() => api.stop())

  const read = (withKey = key) => call(api, `GET /v1/charges/${id}`, { key: withKey })

  it('shows the exact received amount', async () => {
    await api.owner`
      update charges set received_atto = 12345678901234567891, on_time_atto = 12345678901234567891,
        status = 'confirmed', confirmed_at = created_at, paid_with = '{USDT/bnb}', settlement_status = 'pending'
      where id = ${id}`
    const { body } = await read()
    expect(body).to.deep.include({
      amountReceivedExact: '12.345678901234567891',
      isOverpaid: true,
      status: 'confirmed',
      settlementStatus: 'pending',
      paidWith: [{ token: 'USDT', network: 'bnb' }],
      confirmedAt: body.createdAt,
    })
  })

  it('shows the hash of the latest transfer that is on an accepted pair and not orphaned', async () => {
    const transfer = async (hash: string, change: object = {}): Promise<void> => {
      const row = {
        charge_id: id,
        network: 'base',
        token: 'USDC',
        source: 'contract_watcher',
        chain_id: 8453,
        token_address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
        tx_hash: hash,
        ordinal: 0,
        value_atomic: '1',
        amount_atto: '1',
        accepted: true,
        inclusion: 'included',
        block_number: 1,
        ...change,
      }
      await api.owner`insert into transfers ${api.owner(row)}`
    }
    expect((await read()).body.txHash).to.equal(null)
    await transfer('0xaa')
    await transfer('0xbb')
    await transfer('0xcc', { inclusion: 'orphaned' })
    await transfer('0xdd', { accepted: false })
    expect((await read()).body.txHash).to.equal('0xbb')
  })

  it('returns the same 404 for an unknown charge, a malformed id, and another organization’s charge', async () => {
    const foreign = await api.issueKey({ organization: 'org_two' })
    const test = await api.issueKey({ environment: 'test' })
    expectError(await read(foreign.key), '404 charge_not_found')
    expectError(await read(test.key), '404 charge_not_found')
    for (const other of [
      id.slice(0, -1),
      `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`,
      'x',
      '%ff',
      'é',
    ]) {
      expectError(await call(api, `GET /v1/charges/${other}`, { key }), '404 charge_not_found')
    }
  })

  it('returns the requested charge, or 404, to each of 20 simultaneous readers', async () => {
    const foreign = await api.issueKey({ organization: 'org_two' })
    const bodies = await Promise.all(
      Array.from({ length: 10 }, () => call(api, 'POST /v1/charges', { key, body: CHARGE })),
    )
    const reads = await Promise.all(
      bodies.flatMap(({ body }) => [
        call(api, `GET /v1/charges/${body.id}`, { key }),
        call(api, `GET /v1/charges/${body.id}`, { key: foreign.key }),
      ]),
    )
    expect(reads.map(({ status, body }) => (status === 200 ? body.id : status))).to.deep.equal(
      bodies.flatMap(({ body }) => [body.id, 404]),
    )
  })

  it('rejects query parameters', async () => {
    expectError(
      await call(api, `GET /v1/charges/${id}?expand=all`, { key }),
      '400 validation_error',
      'expand',
    )
  })

  describe('paymentUnavailable', () => {
    let open: string
    beforeEach(async () => {
      open = (await call(api, 'POST /v1/charges', { key, body: CHARGE })).body.id
    })
    afterEach(async () => {
      await api.owner`update pairs set paused_at = null`
      await api.owner`update deployments set max_head_at = now()`
    })
    const isUnavailable = async (ofId = open): Promise<boolean> =>
      (await call(api, `GET /v1/charges/${ofId}`, { key })).body.paymentUnavailable

    it('is false by default', async () => expect(await isUnavailable()).to.equal(false))

    const unavailable = async () =>
      (await call(api, `GET /v1/charges/${open}`, { key })).body.unavailablePayments

    it('is true while every accepted pair is paused, and false while only some of them are', async () => {
      await api.owner`update pairs set paused_at = now() where network = 'bnb'`
      expect(await isUnavailable()).to.equal(false)
      expect(await unavailable()).to.deep.equal([{ token: 'USDT', network: 'bnb' }])
      await api.owner`update pairs set paused_at = now() where network = 'base'`
      expect(await isUnavailable()).to.equal(true)
      expect(await unavailable()).to.deep.equal(CHARGE.acceptedPayments)
    })

    it('is not affected by a pause in the other environment or of another pair', async () => {
      await api.owner`update pairs set paused_at = now() where environment = 'test' or token || network = 'USDTbase'`
      expect(await isUnavailable()).to.equal(false)
      expect(await unavailable()).to.deep.equal([])
    })

    it('counts a pair as unavailable if the head of its network has not advanced for two minutes', async () => {
      await api.owner`update deployments set max_head_at = now() - interval '60 seconds' where chain_id = 56`
      expect(await unavailable()).to.deep.equal([])
      await api.owner`update deployments set max_head_at = now() - interval '121 seconds' where chain_id = 56`
      expect(await unavailable()).to.deep.equal([{ token: 'USDT', network: 'bnb' }])
      await api.owner`update deployments set max_head_at = now() - interval '121 seconds' where chain_id = 8453`
      expect(await isUnavailable()).to.equal(true)
    })

    it('allows a head that is 20 block times old on a network with long block times', async () => {
      await api.owner`
        update deployments set block_time_ms = 12000, max_head_at = now() - interval '200 seconds' where chain_id = 56`
      expect(await unavailable()).to.deep.equal([])
      await api.owner`update deployments set max_head_at = now() - interval '241 seconds' where chain_id = 56`
      expect(await unavailable()).to.deep.equal([{ token: 'USDT', network: 'bnb' }])
    })

    it('is true while every pair is paused, until the charge has settled or expired', async () => {
      await api.owner`update pairs set paused_at = now()`
      const cases = [
        ['partially_paid', null, true],
        ['confirmed', 'pending', true],
        ['confirmed', 'failed', true],
        ['confirmed', null, true],
        ['underpaid', 'pending', true],
        ['confirmed', 'completed', false],
        ['underpaid', 'completed', false],
        ['expired', null, false],
      ] as const
      for (const [status, settlement, expected] of cases) {
        await api.owner`
          update charges set status = ${status}, settlement_status = ${settlement}, settled_at = now(),
            confirmed_at = case when ${status} = 'confirmed' then now() end
          where id = ${open}`
        expect(await isUnavailable(), `${status}, ${settlement}`).to.equal(expected)
      }
      await api.owner`update pairs set paused_at = null`
      await api.owner`
        update charges set status = 'confirmed', confirmed_at = now(), settlement_status = 'pending' where id = ${open}`
      expect(await isUnavailable(), 'with no paused pair').to.equal(false)
    })
  })
})
