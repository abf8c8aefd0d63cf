import type { Db } from '../connect.ts'

/** How much of a bucket's window is gone, the request that asked included. */
export type RateLimitUse = { readonly used: number; readonly resetsInSeconds: number }

/** Takes one request from a bucket that all API processes share, and answers how many its window has seen. */
export async function takeFromRateLimit(
  db: Db,
  input: { bucket: string; windowSeconds: number },
): Promise<RateLimitUse> {
  const [use] = await db<[RateLimitUse]>`
    select used, resets_in_seconds from take_from_rate_limit(${input.bucket}, ${input.windowSeconds})`
  return use
}

/** Forgets windows that ended long ago. */
export async function deleteOldRateLimits(
  db: Db,
  { keptSeconds }: { readonly keptSeconds: number },
): Promise<void> {
  await db`delete from rate_limits where window_start < now() - make_interval(secs => ${keptSeconds})`
}
