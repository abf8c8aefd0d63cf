import type { Context } from 'koa'
import { AppError } from '../../shared/domain/errors.ts'
import { limitAddress, limitNew } from '../authorization/limit-submissions.ts'
import { planPayment } from '../authorization/plan-payment.ts'
import { submitAuthorization } from '../authorization/submit-authorization.ts'
import { answerX402 } from '../x402/answer-x402.ts'
import type { ReadAt, ResourceDeps } from './resource.ts'

/**
 * Accepts an x402 client's payment of a charge, or returns the payment requirements; see `answerX402`.
 *
 * @throws {AppError} `not_found` if the operator has not enabled x402; and as `answerX402`
 */
export async function payByX402(ctx: Context, { current }: ReadAt, deps: ResourceDeps): Promise<void> {
  const { config, reread } = deps
  if (!config.hasX402) throw new AppError('not_found', 'x402 is disabled')
  const { charge } = current
  const limit = () => limitNew(ctx, deps, charge.id)
  await answerX402(ctx, {
    url: `${config.checkoutBaseUrl?.replace(/\/$/, '')}/${charge.id}/x402`,
    ...{ id: charge.id, payTo: charge.address },
    plan: () => planPayment(deps, { chargeId: charge.id, now: new Date() }),
    limit: () => limitAddress(ctx, deps),
    submit: (payment) => submitAuthorization(deps, { ctx, charge, payment, limit }),
    show: async () => (await reread()).checkout,
  })
}
