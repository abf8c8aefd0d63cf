import ipaddr from 'ipaddr.js'
import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { Counter } from 'prom-client'
import type { Sql } from '../../shared/db/connect.ts'
import type { RateLimitUse } from '../../shared/db/organizations/rate-limits.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Metrics } from '../../shared/runtime/metrics.ts'
import { type CountRequest, createCountRequest } from './count-requests.ts'

/** The window of every limit: all are per minute (decisions 7.2). */
export const WINDOW_SECONDS = 60

/** A limit by name: at most `quota` requests in a window. */
export type RateLimitPolicy = { readonly name: string; readonly quota: number }

/** What a request counts against. */
export type RateLimitShare = { readonly bucket: string; readonly policy: RateLimitPolicy }

/** Counts requests in windows that all API processes share. */
export type RateLimiter = {
  /** Counts a request against a bucket that refuses nothing, and tells the caller nothing of it. */
  readonly count: CountRequest
  /** Takes one request from a bucket; throws `rate_limited` if it was one too many. */
  readonly take: (ctx: Context, share: RateLimitShare) => Promise<void>
  /** Notes what was taken in another statement; throws `rate_limited` if it was one too many. */
  readonly note: (ctx: Context, share: RateLimitShare, use: RateLimitUse) => void
  /** Throws `rate_limited`, without asking the database, for a bucket known to be empty until its window ends. */
  readonly refuseExhausted: (ctx: Context, share: RateLimitShare) => void
}

/** Buckets remembered as empty: an attacker with more addresses than this costs a statement a request. */
const MAX_EXHAUSTED = 100_000

/**
 * Makes the limiter.
 *
 * Once over, a bucket is refused here until its window ends, so that a flood costs the database nothing. The answer
 * tells the caller where it stands.
 *
 * @see draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4
 */
export function createRateLimiter({ sql, metrics }: { sql: Sql; metrics: Metrics }): RateLimiter {
  // Bounded by a size of one each: for `max` it would take the room of all at once, 3 MB.
  const exhausted = new LRUCache<string, number>({ maxSize: MAX_EXHAUSTED, sizeCalculation: () => 1 })

  const refused = new Counter({
    name: 'http_requests_over_limit_total',
    help: 'Requests refused because their key or address had made too many, by the name of the limit',
    labelNames: ['limit'],
    registers: [metrics],
  })

  /** Throws what is answered to one request too many. */
  function refuse(ctx: Context, policy: RateLimitPolicy, seconds: number): never {
    refused.inc({ limit: policy.name })
    ctx.set('Retry-After', String(Math.max(1, seconds)))
    throw new AppError(
      'rate_limited',
      `more than ${policy.quota} requests in ${WINDOW_SECONDS} seconds; try again in ${seconds}`,
    )
  }

  function refuseExhausted(ctx: Context, { bucket, policy }: RateLimitShare): void {
    const leftMs = (exhausted.get(bucket) ?? 0) - performance.now()
    if (leftMs <= 0) return
    const seconds = Math.ceil(leftMs / 1000)
    setHeaders(ctx, policy, { remaining: 0, seconds })
    refuse(ctx, policy, seconds)
  }

  const note = (ctx: Context, { bucket, policy }: RateLimitShare, use: RateLimitUse): void => {
    setHeaders(ctx, policy, { remaining: Math.max(0, policy.quota - use.used), seconds: use.resetsInSeconds })
    if (use.used >= policy.quota) exhausted.set(bucket, performance.now() + use.resetsInSeconds * 1000)
    if (use.used > policy.quota) refuse(ctx, policy, use.resetsInSeconds)
  }

  const count = createCountRequest(sql, { windowSeconds: WINDOW_SECONDS })
  const inFlight = new Map<string, number>()

  /** Counts a request. While a whole quota is in flight, the next request is one too many whatever the database says. */
  async function countInFlight(ctx: Context, { bucket, policy }: RateLimitShare): Promise<RateLimitUse> {
    const others = inFlight.get(bucket) ?? 0
    if (others >= policy.quota) {
      setHeaders(ctx, policy, { remaining: 0, seconds: WINDOW_SECONDS })
      refuse(ctx, policy, WINDOW_SECONDS)
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
 * Returns the bucket of a client's address: the IPv4 address, in whatever form it is written, or the /64 of an IPv6
 * address, which is the least that one customer gets.
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

/** The first four groups of an IPv6 address, without leading zeros. */
function prefix64({ parts }: ipaddr.IPv6): string {
  const groups = parts.slice(0, 4).map((group) => group.toString(16))
  return `${groups.join(':')}::/64`
}
