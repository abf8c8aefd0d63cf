import type { Db } from '../connect.ts'

/** How much of a bucket's window is gone, the request that asked included. */
export type RateLimitUse = { readonly used: number; readonly resetsInSeconds: number }

/** Requests that are counted against one bucket together. */
export type BucketRequests = { readonly bucket: string; readonly requests: number }

/** Counts one request against a bucket that all API processes share. Returns how many its window has seen. */
export async function takeFromRateLimit(
  db: Db,
  input: { bucket: string; windowSeconds: number },
): Promise<RateLimitUse> {
  const [use] = await db<[RateLimitUse]>`
    select used, resets_in_seconds from take_from_rate_limit(${input.bucket}, ${input.windowSeconds})`
  return use
}

/**
 * Counts requests against several buckets in one statement.
 *
 * Locks the buckets in the order of their names, so that two processes never wait for each other.
 *
 * @param input.buckets - each bucket once
 * @returns the use of each bucket, all its requests included, by name
 */
export async function takeFromRateLimits(
  db: Db,
  { buckets, windowSeconds }: { buckets: readonly BucketRequests[]; windowSeconds: number },
): Promise<ReadonlyMap<string, RateLimitUse>> {
  const rows = await db<(RateLimitUse & { bucket: string })[]>`
    select b.bucket, l.used, l.resets_in_seconds
    from (
      select bucket, requests
      from unnest(${buckets.map(({ bucket }) => bucket)}::text[],
        ${buckets.map(({ requests }) => requests)}::int[]) as u (bucket, requests)
      order by bucket
    ) b
    cross join lateral take_from_rate_limit(b.bucket, ${windowSeconds}, b.requests) l`
  return new Map(rows.map(({ bucket, ...use }) => [bucket, use]))
}

/** Forgets windows that ended long ago. */
export async function deleteOldRateLimits(
  db: Db,
  { keptSeconds }: { readonly keptSeconds: number },
): Promise<void> {
  await db`delete from rate_limits where window_start < now() - make_interval(secs => ${keptSeconds})`
}
