import type { Static } from '@sinclair/typebox'
import type { Context } from 'koa'
import { type ChargeRecord, isOpen } from '../../shared/domain/charge.ts'
import { AppError, type ErrorCode } from '../../shared/domain/errors.ts'
import { readHint, requestPaymentCheck } from '../charges/check/request-payment-check.ts'
import { checkRules } from '../charges/check/rules.ts'
import { CheckBody } from '../charges/check/schema.ts'
import { FORM_TYPE, hasBody, readFormBody, readJsonBody } from '../http/middleware/json-body.ts'
import { compileBody } from '../http/middleware/validate.ts'
import { mayCheck } from './limit-visitors.ts'
import type { ReadAt, ResourceDeps } from './resource.ts'

/** Maximum size of the body, which holds a hash, a network and the field names. */
const MAX_BODY_BYTES = 1024

const validate = compileBody(CheckBody, checkRules)

/**
 * Checks the chains now for a payment that the payer reports.
 *
 * A JSON request gets the page's current state, even if the rate limit forbids the check (decisions 7.2). A form, which
 * a page without a script sends, gets a redirect to the page with the outcome: `?check=done`, or the reason why no
 * check was made. A closed charge that has not expired gets a redirect without an outcome, because its page shows why no
 * check was made.
 *
 * @throws {AppError} as in `requestPaymentCheck` and `readHint`; `validation_error`, `payload_too_large`,
 * `unsupported_media_type`
 */
export async function checkCheckout(ctx: Context, at: ReadAt, deps: ResourceDeps): Promise<void> {
  if (!FORM_TYPE.test(ctx.get('content-type'))) {
    const body = hasBody(ctx.req) ? validate(await readJsonBody(ctx, MAX_BODY_BYTES)) : {}
    await runCheck(ctx, at, { body, deps })
    ctx.body = (await deps.reread()).checkout
    return
  }
  const outcome = await checkByForm(ctx, at, deps)
  const query = new URLSearchParams(ctx.querystring)
  query.delete('check')
  if (outcome !== null) query.set('check', outcome)
  ctx.status = 303
  ctx.set('Location', `../${at.checkout.id}?${query.toString()}`)
}

async function checkByForm(ctx: Context, at: ReadAt, deps: ResourceDeps): Promise<string | null> {
  try {
    const fields = [...(await readFormBody(ctx, MAX_BODY_BYTES))].map(([name, value]) => [name, value.trim()])
    const given = Object.fromEntries(fields.filter(([, value]) => value !== ''))
    // The form always sends a network, which is ignored without a hash.
    const value = given['txHash'] === undefined ? {} : given
    return await runCheck(ctx, at, { body: validate({ value, sourceOf: () => null }), deps })
  } catch (error) {
    const outcome = error instanceof AppError ? OUTCOMES[error.code] : undefined
    if (outcome === undefined) throw error
    return outcome
  }
}

const OUTCOMES: Readonly<Partial<Record<ErrorCode, string>>> = {
  request_in_progress: 'soon',
  validation_error: 'invalid',
  payment_pair_not_accepted: 'invalid',
  rpc_unavailable: 'failed',
  service_unavailable: 'failed',
}

/** Checks the charge. Returns the outcome for the page: `soon`, without an error, if the rate limit forbids the check. */
async function runCheck(
  ctx: Context,
  { current: { charge }, now }: ReadAt,
  { body, deps }: { readonly body: Static<typeof CheckBody>; readonly deps: ResourceDeps },
): Promise<CheckOutcome> {
  const hint = readHint(charge, body)
  if (!(await mayCheck(ctx, deps, charge.id))) return 'soon'
  const result = await requestPaymentCheck(deps.sql, ctx, { charge, hint, now })
  return result === null ? getUnfinishedOutcome(charge, hint !== null) : 'done'
}

type CheckOutcome = 'done' | 'soon' | 'invalid' | null

/**
 * Returns the outcome for the page if the daemon has returned no result: `soon` if it has begun the check, but did not
 * finish it in time; `invalid` if the charge has expired and the request names no transaction; `null` for other charges
 * that are not checked.
 */
export function getUnfinishedOutcome(
  charge: Pick<ChargeRecord, 'status' | 'isSimulated'>,
  hasHint: boolean,
): CheckOutcome {
  if (charge.isSimulated) return null
  if (isOpen(charge) || hasHint) return 'soon'
  return charge.status === 'expired' ? 'invalid' : null
}
