import type { Sql } from '../../shared/db/connect.ts'
import { type RateLimitUse, takeFromRateLimits } from '../../shared/db/organizations/rate-limits.ts'
import { createBatch } from '../../shared/runtime/batch.ts'

/** Counts one request against a bucket. Returns the use of its window, with this request last. */
export type CountRequest = (bucket: string) => Promise<RateLimitUse>

/**
 * Creates the count, whose simultaneous requests share a statement.
 *
 * One statement runs at a time, so that strangers never hold more than one connection of the pool.
 */
export function createCountRequest(sql: Sql, { windowSeconds }: { windowSeconds: number }): CountRequest {
  return createBatch({
    run: (buckets: readonly string[]) => countAll(sql, { buckets, windowSeconds }),
    maxItems: 1000,
    maxRuns: 1,
  })
}

/** Each request of a bucket that is counted several times has its own place in the window. */
async function countAll(
  sql: Sql,
  { buckets, windowSeconds }: { readonly buckets: readonly string[]; readonly windowSeconds: number },
): Promise<readonly RateLimitUse[]> {
  const left = new Map<string, number>()
  for (const bucket of buckets) left.set(bucket, (left.get(bucket) ?? 0) + 1)
  const uses = await takeFromRateLimits(sql, {
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
