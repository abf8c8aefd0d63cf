import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import { expect } from 'chai'
import type { Context } from 'koa'
import type { SubmissionResult } from '../../../api/charges/pay-by-signature/submit-authorization.ts'
import { handleX402, type X402Charge } from '../../../api/charges/pay-by-signature/x402/handle-x402.ts'
import { encodeHeaderJson } from '../../../api/charges/pay-by-signature/x402/header-codec.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { authorizationFailure } from '../../../shared/domain/eip3009/authorization-status.ts'
import type { PayablePair, SignaturePlan } from '../../../shared/domain/eip3009/plan-authorization.ts'
import { AppError, type ErrorCode } from '../../../shared/domain/errors.ts'
import { atomic, atto, micro } from '../../../shared/domain/money.ts'

const CHARGE = '0x5afe5afe5afe5afe5afe5afe5afe5afe5afe5afe' as Address
const PAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const URL_OF_IT = 'https://pay.example/ch_1/x402'
const HASH = `0x${'ab'.repeat(32)}` as const

const PAIR: PayablePair = {
  ...{ token: 'USDC', network: 'base', chainId: 8453, decimals: 6, blockTimeMs: 2000 },
  tokenAddress: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' as Address,
  domain: { name: 'USD Coin', version: '2' },
  ...{ minimumMicro: micro(1n), isUnavailable: false, usedGas: 0, dailyGasLimit: 1, isBroken: false },
  ...{ valueAtomic: atomic(10_000_000n), offeredSeconds: 300 },
}
const ASKED: SignaturePlan = { type: 'asked', askedAtto: atto(10n ** 19n), pairs: [PAIR] }

const PAYMENT = encodeHeaderJson({
  x402Version: 2,
  accepted: {
    ...{ scheme: 'exact', network: 'eip155:8453', amount: '10000000' },
    ...{ asset: PAIR.tokenAddress, payTo: CHARGE },
  },
  payload: {
    signature: `0x${'cd'.repeat(65)}`,
    authorization: {
      ...{ from: PAYER, to: CHARGE, value: '10000000', validAfter: '0', validBefore: '1800000000' },
      nonce: `0x${'01'.repeat(32)}`,
    },
  },
})

describe('the handler of x402 requests', () => {
  it('requests a signature for the available pairs', async () => {
    const { status, headers, body } = await answer({ plan: ASKED })
    expect(status).to.equal(402)
    const required = decodePaymentRequiredHeader(headers['PAYMENT-REQUIRED'] ?? '')
    expect(required.resource).to.include({ url: URL_OF_IT })
    expect(required.accepts).to.have.length(1)
    expect(required.accepts[0]).to.include({ amount: '10000000', maxTimeoutSeconds: 300 })
    expect(body).to.have.nested.property('error.code', 'payment_required')
  })

  it('returns the charge if no payment is requested', async () => {
    const { status, headers, body } = await answer({ plan: { type: 'nothing_asked' } })
    expect([status, headers, body]).to.deep.equal([200, {}, { id: 'ch_1' }])
  })

  it('does not request a payment while a signature is in flight, and sets Retry-After', async () => {
    const { code, headers } = await answer({ plan: { type: 'in_flight' } })
    expect([code, headers]).to.deep.equal(['payment_in_progress', { 'Retry-After': '5' }])
  })

  const refusals: readonly [string, SignaturePlan, ErrorCode][] = [
    ['the charge is no longer payable', { type: 'not_payable', why: 'x' }, 'charge_not_payable'],
    ['no pair is signable', { type: 'unavailable', why: 'x', isTemporary: false }, 'not_found'],
    [
      'payment is paused',
      { type: 'unavailable', why: 'x', isTemporary: true },
      'payment_temporarily_unavailable',
    ],
  ]
  for (const [title, plan, expected] of refusals)
    it(`does not request a payment if ${title}: ${expected}`, async () => {
      const { code, headers } = await answer({ plan })
      expect([code, headers]).to.deep.equal([expected, {}])
    })

  it('returns the hash of a mined payment', async () => {
    const { status, headers, body } = await answer({
      payment: PAYMENT,
      submit: { type: 'mined', txHash: HASH },
    })
    expect([status, body]).to.deep.equal([200, { id: 'ch_1' }])
    expect(decodePaymentResponseHeader(headers['PAYMENT-RESPONSE'] ?? '')).to.include({
      ...{ success: true, transaction: HASH, payer: PAYER },
    })
  })

  for (const txHash of [null, HASH])
    it(`returns 202 ${txHash === null ? 'without' : 'with'} a hash for a payment that is not mined yet, and does not request another payment`, async () => {
      const { status, headers } = await answer({
        payment: PAYMENT,
        plan: ASKED,
        submit: { type: 'pending', txHash },
      })
      expect(status).to.equal(202)
      expect(headers).not.to.have.property('PAYMENT-REQUIRED')
      expect(decodePaymentResponseHeader(headers['PAYMENT-RESPONSE'] ?? '')).to.include({
        ...{ success: false, errorReason: 'settlement_pending', transaction: txHash ?? '' },
      })
    })

  it('requests a payment again, and returns x402’s code for the reason, if the signature is invalid', async () => {
    const wrong = new AppError('authorization_invalid', 'value is wrong', { param: 'value' })
    const { status, headers, body } = await answer({ payment: PAYMENT, plan: ASKED, submit: wrong })
    expect(status).to.equal(402)
    expect(headers).to.have.property('PAYMENT-REQUIRED')
    expect(decodePaymentResponseHeader(headers['PAYMENT-RESPONSE'] ?? '')).to.include({
      ...{ success: false, errorReason: 'invalid_exact_evm_payload_authorization_value_mismatch' },
    })
    expect(body).to.deep.equal({
      error: { code: 'authorization_invalid', message: 'value is wrong', param: 'value' },
    })
  })

  it('does not request another payment after a signature that was already used, if another signature is in flight or the amount has been received', async () => {
    const submit = new AppError('authorization_used', 'it is spent')
    const inFlight = await answer({ payment: PAYMENT, plan: { type: 'in_flight' }, submit })
    expect(inFlight.code).to.equal('payment_in_progress')
    const paid = await answer({ payment: PAYMENT, plan: { type: 'nothing_asked' }, submit })
    expect([paid.status, paid.headers['PAYMENT-REQUIRED']]).to.deep.equal([200, undefined])
  })

  it('never requests a payment again after an error that the signature did not cause, because that signature might still be executed', async () => {
    const codes = ['payment_in_progress', 'service_unavailable', 'rpc_unavailable', 'rate_limited'] as const
    for (const code of codes) {
      const failed = await answer({ payment: PAYMENT, plan: ASKED, submit: new AppError(code, 'x') })
      expect(failed.code).to.equal(code)
      expect(failed.headers, code).not.to.have.property('PAYMENT-REQUIRED')
      expect(failed.headers, code).to.have.property('PAYMENT-RESPONSE')
    }
  })

  it('returns 404 if the charge no longer supports signatures', async () => {
    const submit = new AppError('signature_payment_unavailable', 'x')
    const plan = { type: 'unavailable', why: 'none is offered', isTemporary: false } as const
    expect((await answer({ payment: PAYMENT, plan, submit })).code).to.equal('not_found')
  })

  it('returns 503 if this signature cannot be used at the moment, and does not request another signature', async () => {
    const submit = new AppError('signature_payment_unavailable', 'gas is above our ceiling now')
    const { code, headers } = await answer({ payment: PAYMENT, plan: ASKED, submit })
    expect(code).to.equal('signature_payment_unavailable')
    expect(headers).not.to.have.property('PAYMENT-REQUIRED')
  })

  it('requests a payment again, and returns x402’s code for the reason, if the signature has expired', async () => {
    const failure = authorizationFailure('expired')
    if (failure === null) throw new Error('an expired authorization must be a failure')
    const { code, message, param } = failure
    const submit = new AppError(code, message, { param })
    const { status, headers } = await answer({ payment: PAYMENT, plan: ASKED, submit })
    expect(status).to.equal(402)
    expect(headers).to.have.property('PAYMENT-REQUIRED')
    expect(decodePaymentResponseHeader(headers['PAYMENT-RESPONSE'] ?? '')).to.include({
      ...{ success: false, errorReason: 'invalid_exact_evm_payload_authorization_valid_before' },
    })
  })

  it('applies the rate limit to a submission before it parses the submission', async () => {
    const limited = new AppError('rate_limited', 'x')
    const { code, submitted } = await answer({ payment: 'no base64!', limit: limited })
    expect([code, submitted]).to.deep.equal(['rate_limited', 0])
  })

  it('reports that a header is malformed, and does not request a payment', async () => {
    const { code, headers, submitted } = await answer({ payment: 'no base64!', plan: ASKED })
    expect([code, headers, submitted]).to.deep.equal(['validation_error', {}, 0])
  })
})

type Situation = {
  readonly payment?: string
  readonly plan?: SignaturePlan
  readonly submit?: SubmissionResult | AppError
  readonly limit?: AppError
}

/** Returns the response of the handler in this situation, or the code of its error if it throws an AppError. */
async function answer({ payment = '', plan = ASKED, submit, limit }: Situation) {
  const headers: Record<string, string> = {}
  let submitted = 0
  const ctx = {
    status: 200,
    body: undefined as unknown,
    get: (name: string) => (name === 'payment-signature' ? payment : ''),
    set: (name: string, value: string) => {
      headers[name] = value
    },
  }
  const charge: X402Charge = {
    ...{ url: URL_OF_IT, id: 'ch_1', payTo: CHARGE },
    plan: () => Promise.resolve(plan),
    limit: () => (limit === undefined ? Promise.resolve() : Promise.reject(limit)),
    submit: () => {
      submitted += 1
      if (submit === undefined) throw new Error('the test expects no submission')
      return submit instanceof AppError ? Promise.reject(submit) : Promise.resolve(submit)
    },
    show: () => Promise.resolve({ id: 'ch_1' }),
  }
  const code = await handleX402(ctx as unknown as Context, charge).then(
    () => null,
    (error: unknown) => {
      if (error instanceof AppError) return error.code
      throw error
    },
  )
  return { status: ctx.status, body: ctx.body, headers, code, submitted }
}
