import type { Context } from 'koa'
import { parseEvmAddress } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { prepareAuthorization } from '../charges/pay-by-signature/prepare-authorization.ts'
import {
  rateLimitAddress,
  rateLimitNewSubmission,
} from '../charges/pay-by-signature/rate-limit-submissions.ts'
import { PrepareAuthorizationQuery, SubmitAuthorizationBody } from '../charges/pay-by-signature/schema.ts'
import { submitAuthorization } from '../charges/pay-by-signature/submit-authorization.ts'
import { toSignedPayment } from '../charges/pay-by-signature/to-signed-payment.ts'
import { readJsonBody } from '../http/middleware/json-body.ts'
import { compileBody, compileQuery } from '../http/middleware/validate.ts'
import type { ReadAt, ResourceDeps } from './resource.ts'

/** Maximum size of the body: enough for a contract signature of 2 kB (4 kB in hex) and the other fields. */
const MAX_BODY_BYTES = 6 * 1024

const validateQuery = compileQuery(PrepareAuthorizationQuery)
const validateBody = compileBody(SubmitAuthorizationBody)

/**
 * `GET` returns the data that a payer's wallet signs to pay a charge without paying the network fee. `POST` submits the
 * signed authorization and returns the page's state with `authorization` added. Both work like the API endpoints, but
 * have their own rate limits.
 *
 * @throws {AppError} as in `prepareAuthorization` and `submitAuthorization`; `validation_error`, `rate_limited`,
 * `payment_pair_not_accepted`, `payload_too_large`, `unsupported_media_type`
 */
export async function payCheckoutBySignature(ctx: Context, at: ReadAt, deps: ResourceDeps): Promise<void> {
  const { charge } = at.current
  if (ctx.method === 'GET') {
    const payer = readPayer(ctx)
    ctx.body = await prepareAuthorization(deps, { charge, payer, now: at.now })
    return
  }
  await rateLimitAddress(ctx, deps)
  const body = validateBody(await readJsonBody(ctx, MAX_BODY_BYTES))
  const payment = await toSignedPayment(deps.sql, charge, body)
  const limit = () => rateLimitNewSubmission(ctx, deps, charge.id)
  const { type, txHash } = await submitAuthorization(deps, { ctx, charge, payment, limit })
  const { checkout } = await deps.reread()
  ctx.body = { ...checkout, authorization: { state: type === 'mined' ? 'mined' : 'signed', txHash } }
}

function readPayer(ctx: Context) {
  const { payer: text } = validateQuery(ctx.querystring)
  const payer = parseEvmAddress(text)
  if (payer !== null) return payer
  throw new AppError('validation_error', `payer ${text} has a wrong checksum`, { param: 'payer' })
}
