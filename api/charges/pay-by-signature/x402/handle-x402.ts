import type { Context } from 'koa'
import type { Address } from '../../../../shared/domain/address.ts'
import {
  type PayablePair,
  requirePayablePairs,
  type SignaturePlan,
} from '../../../../shared/domain/eip3009/plan-authorization.ts'
import { AppError, HTTP_STATUS } from '../../../../shared/domain/errors.ts'
import { presentError } from '../../../http/middleware/error-response.ts'
import type { Submission, SubmissionResult } from '../submit-authorization.ts'
import { encodeHeaderJson } from './header-codec.ts'
import { presentPaymentRequired } from './payment-required.ts'
import { findRejectionReason, type PaymentOutcome, presentPaymentResponse } from './payment-response.ts'
import { readPaymentSignature } from './payment-signature.ts'

/** The operations that x402 needs for one charge. */
export type X402Charge = {
  /** URL of the x402 resource, which the client must request again with the payment. */
  readonly url: string
  readonly id: string
  readonly payTo: Address
  /** Returns the pairs on which the charge can currently be paid by signature, or the reason why it cannot. */
  readonly plan: () => Promise<SignaturePlan>
  /** Counts a submission against the limit of the client's address. */
  readonly limit: () => Promise<void>
  /** Submits an authorization. Only a new authorization counts against the limit of the charge. */
  readonly submit: (payment: Submission['payment']) => Promise<SubmissionResult>
  /** Returns the charge's JSON for clients that have only its id. */
  readonly show: () => Promise<object>
}

/** Value of `Retry-After` while a payment is in progress. The payment is usually mined within a few blocks. */
const RETRY_AFTER_SECONDS = '5'

/**
 * Responds to an x402 client (version 2): with the paid charge, with the authorizations to sign, or with the result of
 * the client's signature.
 *
 * x402 clients sign again whenever they receive 402, so with other services a lost response leads to a second payment
 * (x402's issue 3438). Here no payment is requested while an earlier signature might still pay, nor for an amount that
 * the feed has already detected.
 *
 * @throws {AppError} `payment_in_progress`, `charge_not_payable`, `payment_temporarily_unavailable`, `not_found`,
 * `validation_error`, `rate_limited`; and errors of `submit` that are not caused by the signature
 */
export async function handleX402(ctx: Context, charge: X402Charge): Promise<void> {
  const header = ctx.get('payment-signature')
  if (header === '') {
    const message = 'sign one of `accepts` in PAYMENT-REQUIRED, and repeat the request with PAYMENT-SIGNATURE'
    return requestPayment(ctx, charge, new AppError('payment_required', message))
  }
  await charge.limit()
  const payment = readPaymentSignature(header)
  const { chainId, written } = payment
  const parties = { chainId, payer: written.from, amount: written.value }
  try {
    const { type, txHash } = await charge.submit(payment)
    if (type === 'mined' && txHash !== null) {
      respond(ctx, { ...parties, type, txHash })
    } else {
      ctx.status = 202
      ctx.set('Retry-After', RETRY_AFTER_SECONDS)
      respond(ctx, { ...parties, type: 'pending', txHash })
    }
    ctx.body = await charge.show()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const reason = findRejectionReason(error.code, error.param)
    respond(ctx, { ...parties, type: 'refused', reason: reason ?? error.code, message: error.message })
    if (reason !== null) return requestPayment(ctx, charge, error)
    setRetryAfter(ctx, error)
    // Throws 404 if no pair of the charge can be paid by signature now. Otherwise only the chosen pair cannot, and the
    // error is passed on.
    if (error.code === 'signature_payment_unavailable') requirePairs(ctx, charge, await charge.plan())
    throw error
  }
}

function respond(ctx: Context, outcome: PaymentOutcome): void {
  ctx.set('PAYMENT-RESPONSE', encodeHeaderJson(presentPaymentResponse(outcome)))
}

/**
 * Requests a payment with status 402 if the charge has an amount due; otherwise responds with the charge.
 *
 * @param why - the reason in the 402 response: the submitted payment was rejected, or none was submitted
 */
async function requestPayment(ctx: Context, charge: X402Charge, why: AppError): Promise<void> {
  const plan = await charge.plan()
  if (plan.type === 'nothing_asked') {
    ctx.body = await charge.show()
    return
  }
  const { url, payTo } = charge
  const pairs = requirePairs(ctx, charge, plan)
  ctx.status = HTTP_STATUS.payment_required
  ctx.set(
    'PAYMENT-REQUIRED',
    encodeHeaderJson(presentPaymentRequired({ url, payTo, pairs, error: why.message })),
  )
  ctx.body = presentError(why)
}

/**
 * Returns the payable pairs, with the same errors as for other clients, except that 404 replaces
 * `signature_payment_unavailable`.
 */
function requirePairs(ctx: Context, { id }: X402Charge, plan: SignaturePlan): readonly PayablePair[] {
  try {
    return requirePayablePairs(id, plan)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    setRetryAfter(ctx, error)
    throw error.code === 'signature_payment_unavailable' ? new AppError('not_found', error.message) : error
  }
}

function setRetryAfter(ctx: Context, { code }: AppError): void {
  if (code === 'payment_in_progress') ctx.set('Retry-After', RETRY_AFTER_SECONDS)
}
