import { expect } from 'chai'
import createClient from 'openapi-fetch'
import type { paths } from '../../../api/client/api-types.ts'
import {
  approveRefund,
  checkRefund,
  RefundMismatch,
  rejectClaim,
  type WantedApproval,
  type WantedRefund,
} from '../../../api/client/request-refund.ts'
import type { Schema } from '../../../api/client/schema.ts'
import { type Address, checksum } from '../../../shared/domain/address.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { presentRefundPayment } from '../../../shared/domain/refund/refund-payment.ts'

const PAYER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' as Address
const THIEF = '0x90f79bf6eb2c4f870365e785982e1f101e93b906' as Address
const USDC = REGISTRY.base.live.tokens.USDC?.address as Address
const WANTED: WantedRefund = {
  ...{ chargeId: 'ch_one', environment: 'live' },
  body: { amount: '5.25', destination: { address: checksum(PAYER) }, idempotencyKey: 'one' },
}

describe('approveRefund', () => {
  const approve = (answer: Schema<'Refund'>, terms: WantedApproval['terms'] = {}) => {
    const { api, sent } = apiThatReturns(answer)
    const wanted = { chargeId: 'ch_one', refundId: 'rf_one', environment: 'live', amount: '5.25' } as const
    return { sent, result: approveRefund(api, { ...wanted, terms, address: checksum(PAYER) }) }
  }

  it('sends the address with the approval, and returns the transfer to this address', async () => {
    const { sent, result } = approve(refundOf())
    expect((await result).payment).to.deep.equal(paymentOf())
    expect(sent).to.deep.equal([
      ['GET', '/v1/refunds/rf_one', ''],
      ['POST', '/v1/refunds/rf_one/approve', JSON.stringify({ address: checksum(PAYER) })],
    ])
  })

  it('does not approve a refund of another charge, pair or wallet', async () => {
    for (const [words, change, terms] of [
      ['charge', { chargeId: 'ch_two' }, {}],
      ['token', {}, { token: 'USDT', network: 'base' }],
      ['network', {}, { token: 'USDC', network: 'bnb' }],
      ['wallet', {}, { from: checksum(PAYER) }],
    ] as const) {
      const { sent, result } = approve(refundOf(paymentOf(), change), terms)
      const error = await result.catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(RefundMismatch)
      expect(String(error)).to.contain(words)
      expect(sent).to.have.length(1)
    }
  })

  it('rejects a transfer to any other address', async () => {
    const { result } = approve(refundOf(paymentOf({ destination: THIEF })))
    const error = await result.catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(RefundMismatch)
  })
})

describe('rejectClaim', () => {
  const reject = (answer: Schema<'Refund'>) => {
    const { api, sent } = apiThatReturns(answer)
    return { sent, result: rejectClaim(api, { chargeId: 'ch_one', refundId: 'rf_one' }) }
  }

  it('returns the refund of the charge', async () => {
    const { sent, result } = reject(refundOf())
    expect((await result).id).to.equal('rf_one')
    expect(sent.at(-1)).to.deep.equal(['POST', '/v1/refunds/rf_one/reject', ''])
  })

  it('does not reject the address of another charge’s refund', async () => {
    const { sent, result } = reject(refundOf(paymentOf(), { chargeId: 'ch_two' }))
    expect(await result.catch((reason: unknown) => reason)).to.be.instanceOf(RefundMismatch)
    expect(sent).to.deep.equal([['GET', '/v1/refunds/rf_one', '']])
  })
})

describe('checkRefund', () => {
  it('returns the transfer to the entered address, rebuilt from checked values', () => {
    const refund = refundOf()
    const payment = checkRefund(WANTED, refund)
    expect(payment).to.deep.equal(refund.payment)
    expect(payment).not.to.equal(refund.payment)
  })

  it('returns the service’s amount only if the request named no exact amount', () => {
    const refund = refundOf(paymentOf({ amountAtomic: atomic(7_000_000n) }), { amountExact: '7' })
    const all = { ...WANTED, body: { ...WANTED.body, amount: 'all' } }
    expect(checkRefund(all, refund)).to.deep.equal(refund.payment)
    expect(() => checkRefund(WANTED, refund)).to.throw(RefundMismatch, 'data')
  })

  it('returns null for a simulated payment', () => {
    expect(checkRefund(WANTED, refundOf(null))).to.equal(null)
  })

  const LIES: readonly (readonly [string, string, Schema<'Refund'>])[] = [
    ['pays another address', 'data', refundOf(paymentOf({ destination: THIEF }))],
    ['names another destination', 'destination', refundOf(paymentOf(), { destination: checksum(THIEF) })],
    ['pays more', 'data', refundOf(paymentOf({ amountAtomic: atomic(5_250_001n) }))],
    ['calls another contract', 'to 0x9', refundOf(paymentOf({ tokenAddress: THIEF }))],
    ['is on another chain', 'chainId 1', refundOf(paymentOf({ chainId: 1 }))],
    ['sends coins', 'value 1', refundOf({ ...paymentOf(), value: '1' })],
    [
      'approves a spender instead',
      'data',
      refundOf({ ...paymentOf(), data: `0x095ea7b3${'0'.repeat(128)}` }),
    ],
    ['is for another charge', 'charge', refundOf(paymentOf(), { chargeId: 'ch_two' })],
  ]
  for (const [what, words, refund] of LIES)
    it(`rejects a transfer that ${what}`, () => {
      expect(() => checkRefund(WANTED, refund)).to.throw(RefundMismatch, words)
    })

  it('returns no transfer to an address that the payer gave and the caller has not approved', () => {
    const body = { ...WANTED.body, destination: { claim: true as const } }
    expect(checkRefund({ ...WANTED, body }, refundOf(paymentOf({ destination: THIEF })))).to.equal(null)
    expect(() => checkRefund({ ...WANTED, body }, refundOf(paymentOf(), { chargeId: 'ch_two' }))).to.throw(
      RefundMismatch,
      'charge',
    )
  })

  it('rejects a refund without a destination if the request named one', () => {
    expect(() => checkRefund(WANTED, refundOf(null, { destination: null }))).to.throw(RefundMismatch)
  })

  it('rejects a refund of a pair that the request did not name', () => {
    const body = { ...WANTED.body, token: 'USDT', network: 'base' } as const
    expect(() => checkRefund({ ...WANTED, body }, refundOf())).to.throw(RefundMismatch, 'token USDC')
  })
})

function apiThatReturns(answer: Schema<'Refund'>) {
  const sent: unknown[] = []
  const fetch = async (request: Request) => {
    sent.push([request.method, new URL(request.url).pathname, await request.text()])
    return Response.json(answer)
  }
  return { api: createClient<paths>({ baseUrl: 'https://api.test', fetch }), sent }
}

function paymentOf(change: Partial<Parameters<typeof presentRefundPayment>[0]> = {}) {
  return presentRefundPayment({
    ...{ chainId: 8453, tokenAddress: USDC, decimals: 6, destination: PAYER },
    ...{ amountAtomic: atomic(5_250_000n), family: 'evm' },
    ...change,
  })
}

function refundOf(
  payment: Schema<'Refund'>['payment'] = paymentOf(),
  change: Partial<Schema<'Refund'>> = {},
): Schema<'Refund'> {
  const at = '2026-11-27T12:00:00.000Z'
  return {
    ...{ id: 'rf_one', chargeId: 'ch_one', status: 'awaiting_payment', amount: 5.25, amountExact: '5.25' },
    ...{ amountAtomic: '5250000', decimals: 6, amountCountedExact: null, token: 'USDC', network: 'base' },
    ...{ simulated: payment === null, from: checksum(THIEF), destination: checksum(PAYER), reason: 'other' },
    ...{ claim: null, payment, txHash: null, createdAt: at, expiresAt: at, confirmedAt: null },
    ...change,
  }
}
