import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import { takeFromRateLimit } from '../../shared/db/organizations/rate-limits.ts'
import { addressBucket, type RateLimiter, type RateLimitPolicy } from '../middleware/rate-limit.ts'

type Limits = {
  readonly limiter: RateLimiter
  /** Of each address, and of each charge. */
  readonly policy: RateLimitPolicy
}

/** Reads a minute that a page makes: it loads itself, its code and its stream, and polls three times. */
const OWN_READS = 10

/** Checks without a key per charge, besides the first of each address. */
const PAGE_CHECKS = { bucket: 'page_check', quota: 1, windowSeconds: 10 }

/**
 * Counts a request below the pages of charges for its address.
 *
 * @throws {AppError} `rate_limited` if the address made too many
 */
export async function limitAddress(ctx: Context, { limiter, policy }: Limits): Promise<void> {
  await limiter.take(ctx, { bucket: `checkout:${addressBucket(ctx.ip)}`, policy })
}

/**
 * Counts a read of a charge. The first reads of each address stand outside the charge's total, so that strangers who use
 * the total up do not lock a payer out (decisions 7.2).
 *
 * @throws {AppError} `rate_limited` if the address has used its own reads up, and strangers or it the charge's total
 */
export async function limitReads(ctx: Context, { limiter, policy }: Limits, chargeId: string): Promise<void> {
  const { used } = await limiter.count(`reads:${visitorOf(ctx, chargeId)}`)
  if (used > OWN_READS) await limiter.take(ctx, { bucket: `checkout:${chargeId}`, policy })
}

/**
 * Counts a check on a charge's page, and returns whether it may be made. The first check of each address in a minute may
 * be made whatever others did. No check on a page counts against those of keys (decisions 7.2).
 */
export async function mayCheck(
  ctx: Context,
  { limiter, sql }: { readonly limiter: RateLimiter; readonly sql: Sql },
  chargeId: string,
): Promise<boolean> {
  const first = await limiter.count(`checks:${visitorOf(ctx, chargeId)}`)
  if (first.used === 1) return true
  const { bucket, quota, windowSeconds } = PAGE_CHECKS
  const total = await takeFromRateLimit(sql, { bucket: `${bucket}:${chargeId}`, windowSeconds })
  return total.used <= quota
}

function visitorOf({ ip }: Context, chargeId: string): string {
  return `${addressBucket(ip)}:${chargeId}`
}
