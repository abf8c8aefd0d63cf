import type { Db } from '../connect.ts'

/** Use of a bucket's current window, including the requests of this call. */
export type RateLimitUse = { readonly used: number; readonly resetsInSeconds: number }

export type BucketRequests = { readonly bucket: string; readonly requests: number }

/** Counts one request against a bucket that all API processes share. */
export async function consumeRateLimit(
  db: Db,
  input: { bucket: string; windowSeconds: number },
): Promise<RateLimitUse> {
  const [use] = await db<[RateLimitUse]>`
    select used, resets_in_seconds from consume_rate_limit(${input.bucket}, ${input.windowSeconds})`
  return use
}

/**
 * Counts requests against several buckets in one statement.
 *
 * Locks the buckets in the order of their names, so that two processes cannot deadlock.
 *
 * @param input.buckets - each bucket once
 * @returns the use of each bucket by name, including all its requests
 */
export async function consumeRateLimits(
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
    cross join lateral consume_rate_limit(b.bucket, ${windowSeconds}, b.requests) l`
  return new Map(rows.map(({ bucket, ...use }) => [bucket, use]))
}

/** Deletes windows that began more than `keptSeconds` ago. */
export async function deleteOldRateLimits(
  db: Db,
  { keptSeconds }: { readonly keptSeconds: number },
): Promise<void> {
  await db`delete from rate_limits where window_start < now() - make_interval(secs => ${keptSeconds})`
}
