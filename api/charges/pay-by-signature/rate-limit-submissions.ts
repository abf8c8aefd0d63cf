import type { Context } from 'koa'
import type { Sql } from '../../../shared/db/connect.ts'
import { addressBucket, type RateLimiter } from '../../http/middleware/rate-limit.ts'
import { type ChargeRateLimit, rateLimitCharge } from '../rate-limit-charge.ts'

/** Limit per address and minute for submissions without an API key, all charges together. */
const PER_ADDRESS = { name: 'signatures', quota: 10 }

/**
 * Limit per charge for submissions without an API key. After two addresses have used up their quotas of ten, ten
 * submissions remain for others.
 */
const PER_CHARGE: ChargeRateLimit = {
  ...{ bucket: 'signature', quota: 3 * PER_ADDRESS.quota, windowSeconds: 60 },
  rule: 'sent 30 new signatures a minute',
}

/** Limit per charge for submissions with an API key, which are counted separately. */
export const KEYED_SUBMISSION_LIMIT: ChargeRateLimit = {
  ...{ bucket: 'signature_by_key', quota: 10, windowSeconds: 60 },
  rule: 'sent 10 signatures a minute',
}

/**
 * Counts a submission without an API key against the limit of the client's address.
 *
 * @throws {AppError} `rate_limited`
 */
export function rateLimitAddress(
  ctx: Context,
  { limiter }: { readonly limiter: RateLimiter },
): Promise<void> {
  return limiter.take(ctx, { bucket: `signatures:${addressBucket(ctx.ip)}`, policy: PER_ADDRESS })
}

/**
 * Counts a submission without an API key against the limit of its charge. Call this only directly before a submission
 * is sent to the daemon. Otherwise anyone could use up the quota with empty bodies or repeated signatures and block the
 * payer.
 *
 * @throws {AppError} `rate_limited`
 */
export function rateLimitNewSubmission(
  ctx: Context,
  { sql }: { readonly sql: Sql },
  chargeId: string,
): Promise<void> {
  return rateLimitCharge(sql, ctx, { chargeId, limit: PER_CHARGE })
}
