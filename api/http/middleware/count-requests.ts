import type { Sql } from '../../../shared/db/connect.ts'
import { consumeRateLimits, type RateLimitUse } from '../../../shared/db/organizations/rate-limits.ts'
import { createBatch } from '../../../shared/runtime/batch.ts'

/** Counts one request against a bucket. Returns the use of the bucket's current window, including this request. */
export type CountRequest = (bucket: string) => Promise<RateLimitUse>

/**
 * Creates the counter. Up to a thousand simultaneous requests share a statement.
 *
 * Only one statement runs at a time, so that these counts never use more than one connection of the pool.
 */
export function createCountRequest(sql: Sql, { windowSeconds }: { windowSeconds: number }): CountRequest {
  return createBatch({
    run: (buckets: readonly string[]) => countAll(sql, { buckets, windowSeconds }),
    maxItems: 1000,
    maxRuns: 1,
  })
}

/** Counts one request per listed bucket. Requests of the same bucket get consecutive values of `used`. */
async function countAll(
  sql: Sql,
  { buckets, windowSeconds }: { readonly buckets: readonly string[]; readonly windowSeconds: number },
): Promise<readonly RateLimitUse[]> {
  const left = new Map<string, number>()
  for (const bucket of buckets) left.set(bucket, (left.get(bucket) ?? 0) + 1)
  const uses = await consumeRateLimits(sql, {
    buckets: Array.from(left, ([bucket, requests]) => ({ bucket, requests })),
    windowSeconds,
  })
  return buckets.map((bucket) => {
    const { used = 0, resetsInSeconds = windowSeconds } = uses.get(bucket) ?? {}
    const later = (left.get(bucket) ?? 1) - 1
    left.set(bucket, later)
    return { used: used - later, resetsInSeconds }
  })
}
