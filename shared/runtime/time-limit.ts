import { setTimeout as delay } from 'node:timers/promises'

/** Returns the result of `work`, or `late` if it takes longer than `ms`. The work itself is not canceled. */
export async function withTimeLimit<Result, Late>(
  work: Promise<Result>,
  { ms, late }: { readonly ms: number; readonly late: Late },
): Promise<Result | Late> {
  const timer = new AbortController()
  const timeout = delay(ms, late, timer).catch(() => late)
  try {
    return await Promise.race([work, timeout])
  } finally {
    timer.abort()
  }
}
