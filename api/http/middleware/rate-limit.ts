import ipaddr from 'ipaddr.js'
import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { Counter } from 'prom-client'
import type { Sql } from '../../../shared/db/connect.ts'
import type { RateLimitUse } from '../../../shared/db/organizations/rate-limits.ts'
import { AppError } from '../../../shared/domain/errors.ts'
import type { Metrics } from '../../../shared/runtime/metrics.ts'
import { type CountRequest, createCountRequest } from './count-requests.ts'

/** Window of every limit: one minute (decisions 7.2). */
export const WINDOW_SECONDS = 60

/**
 * A named limit: at most `quota` requests per window.
 *
 * `listPolicies` of `api/app.ts` takes the quotas from the settings. `charges/rate-limit-charge.ts` and
 * `checkout/limit-visitors.ts` limit single charges and visitors.
 */
export type RateLimitPolicy = { readonly name: string; readonly quota: number }

/** The bucket and the limit that a request counts against. */
export type RateLimitShare = { readonly bucket: string; readonly policy: RateLimitPolicy }

/** Counts requests in windows shared by all API processes. */
export type RateLimiter = {
  /** Counts a request against a bucket. Enforces no limit and sets no headers. */
  readonly count: CountRequest
  /** Counts a request against a bucket. Throws `rate_limited` if the quota is exceeded. */
  readonly take: (ctx: Context, share: RateLimitShare) => Promise<void>
  /** Applies a count that another statement has returned. Throws `rate_limited` if the quota is exceeded. */
  readonly note: (ctx: Context, share: RateLimitShare, use: RateLimitUse) => void
  /** Throws `rate_limited` if this process has recorded the bucket as exhausted in this window. Runs no query. */
  readonly refuseExhausted: (ctx: Context, share: RateLimitShare) => void
}

/** Maximum exhausted buckets in memory. Requests of any other bucket query the database. */
const MAX_EXHAUSTED = 100_000

/**
 * Creates the rate limiter.
 *
 * Until the window ends, requests of an exhausted bucket are rejected without a query, so that a flood does not reach
 * the database. Response headers show the remaining quota.
 *
 * @see draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4
 */
export function createRateLimiter({ sql, metrics }: { sql: Sql; metrics: Metrics }): RateLimiter {
  // `maxSize` with a size of 1 per entry, because `max` would immediately allocate 3 MB for all entries.
  const exhausted = new LRUCache<string, number>({ maxSize: MAX_EXHAUSTED, sizeCalculation: () => 1 })

  const rejected = new Counter({
    name: 'http_requests_rate_limited_total',
    help: 'Requests rejected because their key or address exceeded a limit, by the name of the limit',
    labelNames: ['limit'],
    registers: [metrics],
  })

  function reject(ctx: Context, policy: RateLimitPolicy, seconds: number): never {
    rejected.inc({ limit: policy.name })
    const waitSeconds = Math.max(1, seconds)
    ctx.set('Retry-After', String(waitSeconds))
    throw new AppError(
      'rate_limited',
      `more than ${policy.quota} requests in ${WINDOW_SECONDS} seconds; try again in ${waitSeconds} s`,
    )
  }

  function refuseExhausted(ctx: Context, { bucket, policy }: RateLimitShare): void {
    const leftMs = (exhausted.get(bucket) ?? 0) - performance.now()
    if (leftMs <= 0) return
    const seconds = Math.ceil(leftMs / 1000)
    setHeaders(ctx, policy, { remaining: 0, seconds })
    reject(ctx, policy, seconds)
  }

  const note = (ctx: Context, { bucket, policy }: RateLimitShare, use: RateLimitUse): void => {
    setHeaders(ctx, policy, { remaining: Math.max(0, policy.quota - use.used), seconds: use.resetsInSeconds })
    if (use.used >= policy.quota) exhausted.set(bucket, performance.now() + use.resetsInSeconds * 1000)
    if (use.used > policy.quota) reject(ctx, policy, use.resetsInSeconds)
  }

  const count = createCountRequest(sql, { windowSeconds: WINDOW_SECONDS })
  const inFlight = new Map<string, number>()

  /** Counts a request. Rejects it without a query while a whole quota of the bucket's requests is being counted. */
  async function countInFlight(ctx: Context, { bucket, policy }: RateLimitShare): Promise<RateLimitUse> {
    const others = inFlight.get(bucket) ?? 0
    if (others >= policy.quota) {
      setHeaders(ctx, policy, { remaining: 0, seconds: WINDOW_SECONDS })
      reject(ctx, policy, WINDOW_SECONDS)
    }
    inFlight.set(bucket, others + 1)
    return count(bucket).finally(() => {
      const left = (inFlight.get(bucket) ?? 1) - 1
      if (left === 0) inFlight.delete(bucket)
      else inFlight.set(bucket, left)
    })
  }

  return {
    count,
    note,
    refuseExhausted,
    take: async (ctx, share) => {
      refuseExhausted(ctx, share)
      note(ctx, share, await countInFlight(ctx, share))
    },
  }
}

/**
 * Returns the bucket of a client's address: the normalized IPv4 address, or the /64 of an IPv6 address, which is the
 * smallest prefix that a customer gets.
 *
 * @see RFC 6177 section 2
 */
export function addressBucket(ip: string): string {
  if (!ipaddr.isValid(ip)) return `ip:${ip}`
  const address = ipaddr.process(ip)
  return `ip:${address instanceof ipaddr.IPv6 ? prefix64(address) : address.toString()}`
}

function setHeaders(
  ctx: Context,
  policy: RateLimitPolicy,
  left: { remaining: number; seconds: number },
): void {
  ctx.append('RateLimit-Policy', `"${policy.name}";q=${policy.quota};w=${WINDOW_SECONDS}`)
  ctx.append('RateLimit', `"${policy.name}";r=${left.remaining};t=${left.seconds}`)
}

/** Returns the first four groups of an IPv6 address, without leading zeros. */
function prefix64({ parts }: ipaddr.IPv6): string {
  const groups = parts.slice(0, 4).map((group) => group.toString(16))
  return `${groups.join(':')}::/64`
}
