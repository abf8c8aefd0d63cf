import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import { type ChargeLimit, limitCharge } from '../charges/limit-charge.ts'
import { addressBucket, type RateLimiter } from '../middleware/rate-limit.ts'

/** Limit per address, for all submissions to any charge. An address cannot use up the quota of another address. */
const PER_ADDRESS = { name: 'signatures', quota: 10 }

/** Limit per charge, without a key. One or two addresses that use up their quotas of ten leave room for others. */
const PER_CHARGE: ChargeLimit = {
  ...{ bucket: 'signature', quota: 3 * PER_ADDRESS.quota, windowSeconds: 60 },
  rule: 'sent 30 new signatures a minute',
}

/** Limit per charge, with a key. Requests without a key cannot use it up. */
export const OF_CHARGE_BY_KEY: ChargeLimit = {
  ...{ bucket: 'signature_by_key', quota: 10, windowSeconds: 60 },
  rule: 'sent 10 signatures a minute',
}

/**
 * Counts a submission without a key for its address.
 *
 * @throws {AppError} `rate_limited`
 */
export function limitAddress(ctx: Context, { limiter }: { readonly limiter: RateLimiter }): Promise<void> {
  return limiter.take(ctx, { bucket: `signatures:${addressBucket(ctx.ip)}`, policy: PER_ADDRESS })
}

/**
 * Counts a submission without a key for its charge. Call it only for submissions that are about to be sent to the
 * daemon. Otherwise anyone could use up the quota with empty bodies or known signatures and block the payer.
 *
 * @throws {AppError} `rate_limited`
 */
export function limitNew(ctx: Context, { sql }: { readonly sql: Sql }, chargeId: string): Promise<void> {
  return limitCharge(sql, ctx, { chargeId, limit: PER_CHARGE })
}
