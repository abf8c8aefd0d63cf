import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import { takeFromRateLimit } from '../../shared/db/organizations/rate-limits.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { ChargeRequest, GetCharge } from '../charges/get-charge.ts'
import { requireRemaining } from '../charges/require-remaining.ts'

type Deps = { readonly sql: Sql; readonly getCharge: GetCharge }

/** For each charge, whoever asks (decisions 3.14). */
const QUOTES_PER_MINUTE = 10

/**
 * Refuses a quote: no swap provider can be configured yet.
 *
 * What is wrong with the charge for good comes first, then what may pass: its environment, its state, the state of its
 * networks, and last that there is no provider.
 *
 * @throws {AppError} `charge_not_found`, `rate_limited`, `swap_test_environment_unsupported`, `charge_not_payable`,
 * `payment_temporarily_unavailable`, `swap_unavailable`
 */
export async function quoteCharge(deps: Deps, ctx: Context, request: ChargeRequest): Promise<never> {
  const { charge, paymentUnavailable } = await deps.getCharge(request)
  await takeQuote(deps.sql, ctx, charge.id)
  if (charge.environment === 'test') {
    throw new AppError('swap_test_environment_unsupported', 'a test charge cannot be paid by a swap')
  }
  requireRemaining(charge)
  if (paymentUnavailable) {
    throw new AppError('payment_temporarily_unavailable', `${charge.id} cannot be paid at the moment`)
  }
  throw new AppError('swap_unavailable', 'swap-to-pay is not configured here')
}

async function takeQuote(sql: Sql, ctx: Context, chargeId: string): Promise<void> {
  const { used, resetsInSeconds } = await takeFromRateLimit(sql, {
    bucket: `quote:${chargeId}`,
    windowSeconds: 60,
  })
  if (used <= QUOTES_PER_MINUTE) return
  const seconds = Math.max(1, resetsInSeconds)
  ctx.set('Retry-After', String(seconds))
  const limit = `${QUOTES_PER_MINUTE} quotes a minute`
  throw new AppError('rate_limited', `${chargeId} can be given ${limit}; try again in ${seconds} seconds`)
}
