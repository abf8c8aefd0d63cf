import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import { consumeRateLimit } from '../../shared/db/organizations/rate-limits.ts'
import { addressBucket, type RateLimiter, type RateLimitPolicy } from '../http/middleware/rate-limit.ts'

type Limits = {
  readonly limiter: RateLimiter
  /** The limit per minute, which applies to each address and, separately, to each charge. */
  readonly policy: RateLimitPolicy
}

/**
 * Reads of a charge, per address and minute, that do not count towards the charge's total. One page needs about five: a
 * load, a stream and three polls.
 */
const OWN_READS = 10

/** Limit per charge for checks without a key. The first check of each address per minute does not count. */
const PAGE_CHECKS = { bucket: 'page_check', quota: 1, windowSeconds: 10 }

/**
 * Counts a request below the checkout path against the limit of the client's address.
 *
 * @throws {AppError} `rate_limited` if the address sent too many requests
 */
export async function limitAddress(ctx: Context, { limiter, policy }: Limits): Promise<void> {
  await limiter.take(ctx, { bucket: `checkout:${addressBucket(ctx.ip)}`, policy })
}

/**
 * Counts a read of a charge. The first `OWN_READS` of each address do not count towards the charge's total, so that
 * strangers who exhaust the total cannot lock a payer out (decisions 7.2).
 *
 * @throws {AppError} `rate_limited` if both are exhausted: the address's own reads and the charge's total
 */
export async function limitReads(ctx: Context, { limiter, policy }: Limits, chargeId: string): Promise<void> {
  const { used } = await limiter.count(`reads:${toVisitorKey(ctx, chargeId)}`)
  if (used > OWN_READS) await limiter.take(ctx, { bucket: `checkout:${chargeId}`, policy })
}

/**
 * Counts a check on a charge's page and returns whether it is allowed. The first check of each address per minute is
 * always allowed. These checks do not count against the limits of API keys (decisions 7.2).
 */
export async function mayCheck(
  ctx: Context,
  { limiter, sql }: { readonly limiter: RateLimiter; readonly sql: Sql },
  chargeId: string,
): Promise<boolean> {
  const first = await limiter.count(`checks:${toVisitorKey(ctx, chargeId)}`)
  if (first.used === 1) return true
  const { bucket, quota, windowSeconds } = PAGE_CHECKS
  const total = await consumeRateLimit(sql, { bucket: `${bucket}:${chargeId}`, windowSeconds })
  return total.used <= quota
}

/** Limit per address and minute for forms on the pages of refunds. */
const PAGE_CLAIMS = { name: 'refund_claims', quota: 20 }

/**
 * Counts a form on the page of a refund against the limit of the client's address.
 *
 * @throws {AppError} `rate_limited` if the address sent too many forms
 */
export function limitClaims(ctx: Context, { limiter }: Pick<Limits, 'limiter'>): Promise<void> {
  return limiter.take(ctx, { bucket: `refund_claims:${addressBucket(ctx.ip)}`, policy: PAGE_CLAIMS })
}

/** Limit per address and minute for escrow orders without a key. */
const PAGE_ORDERS = { name: 'escrow_orders', quota: 10 }

/**
 * Counts an escrow order against the limit of the client's address.
 *
 * @throws {AppError} `rate_limited` if the address sent too many orders
 */
export function limitOrders(ctx: Context, { limiter }: Pick<Limits, 'limiter'>): Promise<void> {
  return limiter.take(ctx, { bucket: `escrow_orders:${addressBucket(ctx.ip)}`, policy: PAGE_ORDERS })
}

function toVisitorKey({ ip }: Context, chargeId: string): string {
  return `${addressBucket(ip)}:${chargeId}`
}
