import { x402HTTPClient } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { expect } from 'chai'
import { respondToRequest } from '../../../shared/db/requests/charge-requests.ts'
import { toSigner } from '../../devnet/accounts.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call } from '../../support/call-route.ts'
import { insertSeenTransfer } from '../../support/daemon-rows.ts'
import { randomHex } from '../../support/factories.ts'
import {
  createSignable,
  HASH,
  insertSignablePair,
  openRequest,
  PAIR,
  PAYER,
  signPrepared,
  USDC,
} from '../../support/signing-payer.ts'

/** The daemon is simulated here. test/e2e/x402.test.ts runs a real daemon. */
describe('payment by signature at the URLs under a charge’s page', () => {
  let api: TestApi
  let key: string

  before(async () => {
    api = await startTestApi({
      ...{ CHECKOUT_BASE_URL: 'https://pay.example/pay/', TRUST_PROXY: '1', X402: 'on' },
    })
    ;({ key } = await api.issueKey())
  })
  after(() => api.stop())

  beforeEach(() => insertSignablePair(api))

  /** Sends a request to a URL under the page, by default from a different client IP address. */
  const open = async (
    path: string,
    init: Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> } = {},
    from = `203.0.113.${++addresses % 250}`,
  ) => {
    const headers = { ...init.headers, 'x-forwarded-for': from }
    const response = await fetch(`${api.baseUrl}/pay/${path}`, { ...init, headers })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
  }
  let addresses = 0
  const create = (amount?: number) => createSignable({ api, key }, amount)

  describe('by x402', () => {
    const client = new x402HTTPClient(
      new x402Client()
        .register('eip155:*', new ExactEvmScheme(toSigner(PAYER) as never))
        .setSpendControls({ maxAmountPerPayment: '$50' }),
    )

    /** Returns the payment header that x402's own client creates, with the given changes. */
    const paymentFor = async (id: string, changed: object = {}) => {
      const { headers } = await open(`${id}/x402`)
      const required = client.getPaymentRequiredResponse((name) => headers.get(name))
      const payload = await client.createPaymentPayload(required)
      return client.encodePaymentSignatureHeader({ ...payload, ...changed })
    }

    it('is requested with the charge’s address as payee, the amount due and the domain of the token', async () => {
      const { id, address } = await create()
      const { status, headers, body } = await open(`${id}/x402`)
      expect([status, body.error.code]).to.deep.equal([402, 'payment_required'])
      const required = client.getPaymentRequiredResponse((name) => headers.get(name))
      expect(required.resource?.url).to.equal(`https://pay.example/pay/${id}/x402`)
      expect(required.accepts).to.have.length(1)
      expect(required.accepts[0]).to.deep.include({
        ...{ payTo: address, amount: '10000000', network: 'eip155:8453' },
        extra: { assetTransferMethod: 'eip3009', name: 'USD Coin', version: '2' },
      })
    })

    it('has an endpoint that pages of any origin can call, unlike state.json', async () => {
      const { id } = await create()
      const preflight = await open(`${id}/x402`, { method: 'OPTIONS' })
      expect(preflight.status).to.equal(204)
      expect(preflight.headers.get('access-control-allow-headers')).to.equal(
        'payment-signature, x-payment, access-control-expose-headers, content-type',
      )
      for (const path of [`${id}/x402`, `ch_${'0'.repeat(36)}/x402`]) {
        const { headers } = await open(path)
        expect(headers.get('access-control-allow-origin'), path).to.equal('*')
        expect(headers.get('access-control-expose-headers')).to.contain('PAYMENT-REQUIRED')
        expect(headers.get('cache-control')).to.equal('no-store')
      }
      expect((await open(`${id}/state.json`)).headers.get('access-control-allow-origin')).to.equal(null)
    })

    it('is requested only for the amount that is neither credited nor detected, and not at all once no amount remains', async () => {
      const { id } = await create(2)
      const see = () => insertSeenTransfer(api.owner, { chargeId: id, blockNumber: 1, txHash: randomHex(32) })
      await see()
      const { headers } = await open(`${id}/x402`)
      const required = client.getPaymentRequiredResponse((name) => headers.get(name))
      expect(required.accepts[0]?.amount).to.equal('1000000')
      await see()
      const { status, body } = await open(`${id}/x402`)
      expect([status, body.id]).to.deep.equal([200, id])
    })

    it('reaches the daemon with the signed values, and the client gets the response when the payment is mined', async () => {
      const { id, address } = await create()
      const headersOf = await paymentFor(id, { extensions: { 'some-extension': { info: {} } } })
      const paying = open(`${id}/x402`, { headers: headersOf })
      const request = await openRequest(api, id)
      expect((await open(`${id}/x402`)).body.error.code).to.equal('payment_in_progress')
      const [row] = await api.owner`select payload from requests where id = ${request}`
      expect(row?.['payload']).to.deep.include({
        ...{ chainId: 8453, token: USDC, from: PAYER.address.toLowerCase(), to: address.toLowerCase() },
        ...{ value: '10000000', validAfter: '0' },
      })
      await respondToRequest(api.owner, request, { outcome: 'mined', txHash: HASH })
      const { status, headers, body } = await paying
      expect([status, body.id]).to.deep.equal([200, id])
      expect(client.getPaymentSettleResponse((name) => headers.get(name))).to.include({
        ...{ success: true, transaction: HASH, network: 'eip155:8453', payer: PAYER.address },
      })
    })

    it('is requested again if the daemon rejects it, and the response contains x402’s code for the reason', async () => {
      const { id } = await create()
      const headers = await paymentFor(id)
      const paying = open(`${id}/x402`, { headers })
      const refusal = { outcome: 'refused', code: 'insufficient_balance', message: 'too little' } as const
      await respondToRequest(api.owner, await openRequest(api, id), refusal)
      const answer = await paying
      expect([answer.status, answer.body.error.code]).to.deep.equal([402, 'insufficient_balance'])
      const told = client.getPaymentSettleResponse((name) => answer.headers.get(name))
      expect(told.errorReason).to.equal('invalid_exact_evm_insufficient_balance')
      expect(answer.headers.get('payment-required')).to.be.a('string')
    })

    it('is rejected and requested again if it was signed for another charge', async () => {
      const [first, second] = [await create(), await create(11)]
      const headers = await paymentFor(first.id)
      const { status, body } = await open(`${second.id}/x402`, { headers })
      expect([status, body.error.code, body.error.param]).to.deep.equal([402, 'authorization_invalid', 'to'])
    })

    it('returns 404 for a charge without a signable pair and for an unknown id', async () => {
      const { id } = await create()
      await api.owner`delete from signable_pairs`
      expect((await open(`${id}/x402`)).status).to.equal(404)
      expect((await open(`ch_${'0'.repeat(36)}/x402`)).status).to.equal(404)
    })

    it('returns 404 unless the operator has enabled x402', async () => {
      const { id } = await create()
      const without = await api.startAnother((config) => ({ ...config, hasX402: false }))
      const { status } = await fetch(`${without.baseUrl}/pay/${id}/x402`)
      await without.stop()
      expect(status).to.equal(404)
    })

    it('returns 409 for an ended charge, and 503 while its pair is paused', async () => {
      const { id } = await create()
      await api.owner`update pairs set paused_at = now() where chain_id = 8453`
      expect((await open(`${id}/x402`)).status).to.equal(503)
      await api.owner`update pairs set paused_at = null`
      await api.owner`update charges set status = 'underpaid' where id = ${id}`
      const { status, body } = await open(`${id}/x402`)
      expect([status, body.error.code]).to.deep.equal([409, 'charge_not_payable'])
    })

    it('is limited to ten signatures a minute per client IP address, even if they are invalid', async () => {
      const charges = await Promise.all(Array.from({ length: 11 }, () => create()))
      const statuses = []
      for (const { id } of charges) statuses.push((await bringNothing(id, '2001:db8:0:1::7')).status)
      expect(statuses).to.deep.equal([...Array<number>(10).fill(400), 429])
    })

    it('reaches the daemon despite more than thirty invalid submissions for the charge by others', async () => {
      const { id } = await create()
      const headers = await paymentFor(id)
      for (let count = 0; count < 31; count += 1) expect((await bringNothing(id)).status).to.equal(400)
      const paying = open(`${id}/x402`, { headers })
      await respondToRequest(api.owner, await openRequest(api, id), { outcome: 'mined', txHash: HASH })
      expect((await paying).status).to.equal(200)
    })

    it('reaches the daemon at most thirty times a minute per charge, from all client IP addresses together', async () => {
      const { id } = await create()
      const headers = await paymentFor(id)
      await api.owner`select consume_rate_limit(${`signature:${id}`}, 60) from generate_series(1, 29)`
      const paying = open(`${id}/x402`, { headers })
      const refusal = { outcome: 'refused', code: 'insufficient_balance', message: 'too little' } as const
      await respondToRequest(api.owner, await openRequest(api, id), refusal)
      expect((await paying).status).to.equal(402)
      const { status, headers: told } = await open(`${id}/x402`, { headers: await paymentFor(id) })
      expect([status, Number(told.get('retry-after')) > 0]).to.deep.equal([429, true])
    })

    const bringNothing = (id: string, from?: string) =>
      open(`${id}/x402`, { headers: { 'payment-signature': 'nothing' } }, from)
  })

  describe('by the page’s own script', () => {
    it('is prepared and submitted without a key, and returns the page’s state with the authorization’s state', async () => {
      const { id, address } = await create()
      const state = await open(`${id}/state.json`)
      expect(state.body.payBySignature).to.deep.equal([PAIR])
      const prepared = await open(`${id}/authorization?payer=${PAYER.address}`)
      const [{ typedData, ...pair }] = prepared.body.authorizations
      expect(pair).to.deep.include(PAIR)
      expect(typedData.message.to).to.equal(address)
      const body = await signPrepared(typedData)
      const headers = { 'content-type': 'application/json' }
      const bringing = open(`${id}/authorization`, { method: 'POST', headers, body: JSON.stringify(body) })
      await respondToRequest(api.owner, await openRequest(api, id), { outcome: 'mined', txHash: HASH })
      const { status, body: answer } = await bringing
      expect([status, answer.id, answer.authorization]).to.deep.equal([
        ...[200, id],
        { state: 'mined', txHash: HASH },
      ])
    })

    it('is accepted with a key even if the quota for submissions without a key is used up', async () => {
      const { id } = await create()
      const prepared = await open(`${id}/authorization?payer=${PAYER.address}`)
      const body = await signPrepared(prepared.body.authorizations[0].typedData)
      await api.owner`select consume_rate_limit(${`signature:${id}`}, 60) from generate_series(1, 30)`
      const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
      const without = await open(`${id}/authorization`, { ...init, body: JSON.stringify(body) })
      expect(without.status).to.equal(429)
      const byKey = call(api, `POST /v1/charges/${id}/authorization`, { key, body })
      await respondToRequest(api.owner, await openRequest(api, id), { outcome: 'mined', txHash: HASH })
      expect((await byKey).status).to.equal(200)
    })

    it('is rejected for the same reasons as at the endpoints that require a key', async () => {
      const { id } = await create()
      const post = (body: object) =>
        open(`${id}/authorization`, {
          ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
          body: JSON.stringify(body),
        })
      const signed = {
        ...{ ...PAIR, from: PAYER.address, value: '10000000', validAfter: '0', validBefore: '1' },
        ...{ nonce: randomHex(32), signature: randomHex(65) },
      }
      expect((await post({ ...signed, network: 'bnb' })).body.error.code).to.equal(
        'payment_pair_not_accepted',
      )
      const { status, body } = await post(signed)
      expect([status, body.error.code, body.error.param]).to.deep.equal([
        ...[400, 'authorization_invalid', 'validBefore'],
      ])
      expect((await open(`${id}/authorization?payer=nobody`)).status).to.equal(400)
    })
  })
})
