import { parseEvmAddress } from '../../../shared/domain/address.ts'
import type { ErrorCode } from '../../../shared/domain/errors.ts'
import { createFieldError } from '../../http/field-error.ts'
import { keyedRoute, type Route } from '../../http/route.ts'
import type { GetCharge } from '../get-charge.ts'
import { type PresentDeps, presentCurrentCharge } from '../present.ts'
import { rateLimitCharge } from '../rate-limit-charge.ts'
import { Charge } from '../schema.ts'
import type { PlanDeps } from './plan-payment.ts'
import { prepareAuthorization } from './prepare-authorization.ts'
import { KEYED_SUBMISSION_LIMIT } from './rate-limit-submissions.ts'
import { PrepareAuthorizationQuery, PreparedAuthorizations, SubmitAuthorizationBody } from './schema.ts'
import { submitAuthorization } from './submit-authorization.ts'
import { toSignedPayment } from './to-signed-payment.ts'

type Deps = PresentDeps & PlanDeps & { readonly getCharge: GetCharge }

/** Returns the endpoints that prepare and submit a payer's authorization. */
export function authorizationRoutes(deps: Deps): readonly Route[] {
  return [prepareRoute(deps), submitRoute(deps)]
}

function prepareRoute(deps: Deps): Route {
  return keyedRoute({
    method: 'GET',
    path: '/v1/charges/:id/authorization',
    operationId: 'prepareAuthorization',
    summary: 'Prepare an authorization for a payer to sign instead of sending a payment',
    description:
      'Returns EIP-712 typed data of EIP-3009 for each pair on which the amount due can be paid by signature now. The value is the part of `amount` that is neither credited nor detected yet. Have the payer sign the data of one pair only. `409 payment_in_progress`: a signed authorization might still pay. Do not request another signature before it has ended.',
    scope: 'charges:read',
    query: PrepareAuthorizationQuery,
    success: { status: 200, body: PreparedAuthorizations },
    errors: PLAN_ERRORS,
    handle: async (request) => {
      const { charge } = await deps.getCharge(request)
      const payer = parseEvmAddress(request.query.payer)
      if (payer === null) throw createFieldError('payer', `${request.query.payer} has a wrong checksum`)
      return await prepareAuthorization(deps, { charge, payer, now: request.key.now })
    },
  })
}

function submitRoute(deps: Deps): Route {
  return keyedRoute({
    method: 'POST',
    path: '/v1/charges/:id/authorization',
    operationId: 'submitAuthorization',
    summary: 'Submit a payment authorization signed by the payer',
    description:
      'Returns when the payment is mined, or after 30 seconds. While `authorization.state` is `signed`, the payment continues. Submitting the same authorization again returns its current state and never pays twice. The payment is credited like any other, after the required confirmations. At most 10 submissions a minute per charge.',
    scope: 'charges:write',
    body: { schema: SubmitAuthorizationBody },
    success: { status: 200, body: Charge },
    errors: [...PLAN_ERRORS, ...SUBMIT_ERRORS],
    handle: async (request, ctx) => {
      const { charge } = await deps.getCharge(request)
      await rateLimitCharge(deps.sql, ctx, { chargeId: charge.id, limit: KEYED_SUBMISSION_LIMIT })
      const payment = await toSignedPayment(deps.sql, charge, request.body)
      await submitAuthorization(deps, { ctx, charge, payment })
      return presentCurrentCharge(await deps.getCharge(request), deps)
    },
  })
}

const PLAN_ERRORS: readonly ErrorCode[] = [
  'charge_not_found',
  'charge_not_payable',
  'payment_in_progress',
  'payment_temporarily_unavailable',
  'signature_payment_unavailable',
]

const SUBMIT_ERRORS: readonly ErrorCode[] = [
  'authorization_invalid',
  'authorization_used',
  'insufficient_balance',
  'payment_pair_not_accepted',
]
