import { expect } from 'chai'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call, expectError } from '../../support/call-route.ts'

const BODY = { amount: 10, acceptedPayments: [{ token: 'USDC', network: 'base' }], expiresIn: 600 }

describe('the header Idempotency-Key of POST /v1/charges', () => {
  let api: TestApi
  let key: string

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey())
  })
  after(() => api.stop())

  const create = (header: string, body: object = BODY) =>
    call(api, 'POST /v1/charges', { key, body, headers: { 'idempotency-key': header } })

  it('creates one charge for several requests, even if one sends the key in its body', async () => {
    const first = await create('order-1')
    const again = await create('order-1')
    const inBody = await call(api, 'POST /v1/charges', { key, body: { ...BODY, idempotencyKey: 'order-1' } })
    expect([first.status, again.status, inBody.status]).to.deep.equal([201, 201, 201])
    expect([again.body.id, inBody.body.id]).to.deep.equal([first.body.id, first.body.id])
    expect(again.headers.get('idempotent-replayed')).to.equal('true')
  })

  it('creates one charge for simultaneous requests', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => create('at-once')))
    expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1)
  })

  it('rejects a different body with 409', async () => {
    await create('order-2')
    expectError(
      await create('order-2', { ...BODY, amount: 11 }),
      '409 idempotency_key_reused',
      'idempotencyKey',
    )
  })

  it('preserves the exact amount of the body', async () => {
    const text =
      '{"amount":99999999999.123456,"acceptedPayments":[{"token":"USDC","network":"base"}],"expiresIn":600}'
    const headers = { 'idempotency-key': 'exact' }
    const { body } = await call(api, 'POST /v1/charges', { key, text, headers })
    expect(body.amountExact).to.equal('99999999999.123456')
  })

  it('is accepted with the same key in the body, and rejected with a different key', async () => {
    expect((await create('order-3', { ...BODY, idempotencyKey: 'order-3' })).status).to.equal(201)
    const other = await create('order-3', { ...BODY, idempotencyKey: 'order-4' })
    expectError(other, '400 validation_error', 'Idempotency-Key')
  })

  for (const [title, header] of [
    ['empty', ''],
    ['longer than 255 characters', 'x'.repeat(256)],
    ['given twice', 'one, two'],
    ['not ASCII', 'ordör'],
  ] as const) {
    it(`is rejected if it is ${title}`, async () => {
      expectError(await create(header), '400 validation_error', 'Idempotency-Key')
    })
  }
})
