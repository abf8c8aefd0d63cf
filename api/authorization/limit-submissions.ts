import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import { type ChargeLimit, limitCharge } from '../charges/limit-charge.ts'
import { addressBucket, type RateLimiter } from '../middleware/rate-limit.ts'

/** Of each address; each costs reads of a chain, whoever brings it. */
const SUBMISSIONS = { name: 'signatures', quota: 10 }

/** Of each charge, by a key or without. */
export const OF_CHARGE: ChargeLimit = {
  ...{ bucket: 'signature', quota: SUBMISSIONS.quota, windowSeconds: 60 },
  rule: 'brought 10 signatures a minute',
}

/**
 * Counts one more signature that is brought without a key, for the address that it comes from and for its charge.
 *
 * @throws {AppError} `rate_limited`
 */
export async function limitSubmissions(
  ctx: Context,
  { sql, limiter }: { readonly sql: Sql; readonly limiter: RateLimiter },
  chargeId: string,
): Promise<void> {
  await limiter.take(ctx, { bucket: `signatures:${addressBucket(ctx.ip)}`, policy: SUBMISSIONS })
  await limitCharge(sql, ctx, { chargeId, limit: OF_CHARGE })
}
