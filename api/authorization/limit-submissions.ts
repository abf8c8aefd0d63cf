import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import { type ChargeLimit, limitCharge } from '../charges/limit-charge.ts'
import { addressBucket, type RateLimiter } from '../middleware/rate-limit.ts'

/** Of each address, whatever it brings and for whichever charge: it uses up nobody's but its own. */
const OF_ADDRESS = { name: 'signatures', quota: 10 }

/** Of each charge, without a key; the ten of one address, or of two, leave the others room. */
const OF_CHARGE: ChargeLimit = {
  ...{ bucket: 'signature', quota: 3 * OF_ADDRESS.quota, windowSeconds: 60 },
  rule: 'brought 30 new signatures a minute',
}

/** Of each charge, by keys: nobody else uses them up. */
export const OF_CHARGE_BY_KEY: ChargeLimit = {
  ...{ bucket: 'signature_by_key', quota: 10, windowSeconds: 60 },
  rule: 'brought 10 signatures a minute',
}

/**
 * Counts one more that is brought without a key, for the address that it comes from.
 *
 * @throws {AppError} `rate_limited`
 */
export function limitAddress(ctx: Context, { limiter }: { readonly limiter: RateLimiter }): Promise<void> {
  return limiter.take(ctx, { bucket: `signatures:${addressBucket(ctx.ip)}`, policy: OF_ADDRESS })
}

/**
 * Counts one more without a key for its charge: one that the daemon is about to be asked of, and no other. What anybody could
 * bring, an empty body or what is known already, would keep the payer's own out.
 *
 * @throws {AppError} `rate_limited`
 */
export function limitNew(ctx: Context, { sql }: { readonly sql: Sql }, chargeId: string): Promise<void> {
  return limitCharge(sql, ctx, { chargeId, limit: OF_CHARGE })
}
