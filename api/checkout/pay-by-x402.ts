import type { Context } from 'koa'
import { AppError } from '../../shared/domain/errors.ts'
import { planPayment } from '../charges/pay-by-signature/plan-payment.ts'
import {
  rateLimitAddress,
  rateLimitNewSubmission,
} from '../charges/pay-by-signature/rate-limit-submissions.ts'
import { submitAuthorization } from '../charges/pay-by-signature/submit-authorization.ts'
import { handleX402 } from '../charges/pay-by-signature/x402/handle-x402.ts'
import type { ReadAt, ResourceDeps } from './resource.ts'

/**
 * Accepts an x402 client's payment of a charge, or returns the payment requirements; see `handleX402`.
 *
 * @throws {AppError} `not_found` if x402 is disabled; the errors of `handleX402`
 */
export async function payByX402(ctx: Context, { current }: ReadAt, deps: ResourceDeps): Promise<void> {
  const { config, reread } = deps
  if (!config.hasX402) throw new AppError('not_found', 'x402 is disabled')
  const { charge } = current
  const limit = () => rateLimitNewSubmission(ctx, deps, charge.id)
  await handleX402(ctx, {
    url: `${config.checkoutBaseUrl?.replace(/\/$/, '')}/${charge.id}/x402`,
    ...{ id: charge.id, payTo: charge.address },
    plan: () => planPayment(deps, { chargeId: charge.id, now: new Date() }),
    limit: () => rateLimitAddress(ctx, deps),
    submit: (payment) => submitAuthorization(deps, { ctx, charge, payment, limit }),
    show: async () => (await reread()).checkout,
  })
}
