import type { Context } from 'koa'
import { AppError, HTTP_STATUS } from '../../shared/domain/errors.ts'
import {
  type AskedPair,
  requireAskedPairs,
  type SignaturePlan,
} from '../../shared/domain/plan-authorization.ts'
import { presentError } from '../middleware/error-response.ts'
import { writeHeaderJson } from './header-json.ts'
import { presentPaymentRequired } from './payment-required.ts'
import { type PaymentOutcome, presentPaymentResponse, refusalReason } from './payment-response.ts'
import { readPaymentSignature, type SignedPayment } from './payment-signature.ts'

/** What is asked of payments by signature for one charge. */
export type X402Charge = {
  /** Where it is asked for, as the client must ask again. */
  readonly url: string
  readonly id: string
  readonly payTo: Parameters<typeof presentPaymentRequired>[0]['payTo']
  /** What may be asked of a payer now. */
  readonly plan: () => Promise<SignaturePlan>
  /** Counts one more submission for the address that it comes from. */
  readonly limit: () => Promise<void>
  /** Has what was signed carried out, and counts it for the charge if it is new; what was brought before is answered as it was then. */
  readonly submit: (payment: SignedPayment) => Promise<Submitted>
  /** The charge as whoever has its id may see it. */
  readonly show: () => Promise<object>
}

/** What has become of a signature that was taken. */
export type Submitted = { readonly type: 'mined' | 'pending'; readonly txHash: `0x${string}` | null }

/** A payment that is on its way is mined in a few blocks. */
const RETRY_AFTER_SECONDS = '5'

/**
 * Answers a client of x402 (version 2) that wants what a charge is: that it is paid, or what must be signed for that, or
 * what became of what he has signed.
 *
 * Its clients sign anew whenever they are answered 402, so that a lost answer is paid twice elsewhere (x402's issue 3438).
 * Here nothing is asked while a signature is in flight, or what became of it is unknown, and never what has been seen. In flight
 * is each that a node of ours was shown. One that was refused or withdrawn is kept nowhere, and no node has seen it.
 *
 * @throws {AppError} `payment_in_progress`, `charge_not_payable`, `payment_temporarily_unavailable`, `not_found`,
 * `validation_error`, `rate_limited`; and what `submit` throws that is no fault of the signature
 */
export async function answerX402(ctx: Context, charge: X402Charge): Promise<void> {
  const header = ctx.get('payment-signature')
  if (header === '') {
    const message = 'sign for one of `accepts` in PAYMENT-REQUIRED, and repeat this with PAYMENT-SIGNATURE'
    return ask(ctx, charge, new AppError('payment_required', message))
  }
  await charge.limit()
  const payment = readPaymentSignature(header)
  const { chainId, written } = payment
  const of = { chainId, payer: written.from, amount: written.value }
  try {
    const { type, txHash } = await charge.submit(payment)
    if (type === 'mined' && txHash !== null) {
      respond(ctx, { ...of, type, txHash })
    } else {
      ctx.status = 202
      ctx.set('Retry-After', RETRY_AFTER_SECONDS)
      respond(ctx, { ...of, type: 'pending', txHash })
    }
    ctx.body = await charge.show()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const reason = refusalReason(error.code, error.param)
    respond(ctx, { ...of, type: 'refused', reason: reason ?? error.code, message: error.message })
    if (reason !== null) return ask(ctx, charge, error)
    setRetryAfter(ctx, error)
    // Of a charge that takes no signatures at all; one that takes this one not now is out of order.
    if (error.code === 'signature_payment_unavailable') requirePairs(ctx, charge, await charge.plan())
    throw error
  }
}

function respond(ctx: Context, outcome: PaymentOutcome): void {
  ctx.set('PAYMENT-RESPONSE', writeHeaderJson(presentPaymentResponse(outcome)))
}

/** Asks for a payment, if one may be asked for; the body says what was wrong with the last. */
async function ask(ctx: Context, charge: X402Charge, why: AppError): Promise<void> {
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
    writeHeaderJson(presentPaymentRequired({ url, payTo, pairs, error: why.message })),
  )
  ctx.body = presentError(why)
}

/** As for everybody, but that to who asks by x402 what takes no signatures is not there. */
function requirePairs(ctx: Context, { id }: X402Charge, plan: SignaturePlan): readonly AskedPair[] {
  try {
    return requireAskedPairs(id, plan)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    setRetryAfter(ctx, error)
    throw error.code === 'signature_payment_unavailable' ? new AppError('not_found', error.message) : error
  }
}

function setRetryAfter(ctx: Context, { code }: AppError): void {
  if (code === 'payment_in_progress') ctx.set('Retry-After', RETRY_AFTER_SECONDS)
}
