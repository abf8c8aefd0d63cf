/** When an attempt failed, and what the answer said about trying again. */
export type FailedAttempt = {
  /** When the cycle's first attempt began. */
  readonly cycleStartedAt: Date
  readonly startedAt: Date
  readonly finishedAt: Date
  /** Attempts of the cycle that have been made, this one included; at least 1. */
  readonly cycleAttempts: number
  /** What the endpoint asked to wait from `finishedAt` on; `null` if it asked nothing. */
  readonly retryAfterMs: number | null
}

/**
 * Answers when a delivery is attempted next, or `null` if the schedule is used up.
 *
 * The schedule counts from the cycle's first attempt. An attempt that came late, after an outage of ours, does not
 * draw the later ones together: they keep at least the schedule's first distance. The endpoint's `Retry-After` may
 * stretch the wait up to twice its planned length, and not shorten it.
 *
 * @param delaysSeconds - such as `[0, 300, 1800, 7200, 86400]` (decisions 6.5)
 */
export function nextAttemptAt(attempt: FailedAttempt, delaysSeconds: readonly number[]): Date | null {
  const delaySeconds = delaysSeconds[attempt.cycleAttempts]
  if (delaySeconds === undefined) return null
  const distanceMs = (delaysSeconds[1] ?? 0) * 1000
  const plannedMs = Math.max(
    attempt.cycleStartedAt.getTime() + delaySeconds * 1000,
    attempt.startedAt.getTime() + distanceMs,
    attempt.finishedAt.getTime(),
  )
  const waitMs = plannedMs - attempt.finishedAt.getTime()
  const stretchedMs = Math.min(Math.max(waitMs, attempt.retryAfterMs ?? 0), 2 * waitMs)
  return new Date(attempt.finishedAt.getTime() + stretchedMs)
}

/**
 * Reads a `Retry-After` header, a number of seconds or an HTTP date, as milliseconds from now; `null` for neither.
 *
 * @see RFC 9110, sections 10.2.3 and 5.6.7
 */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  if (!/^[A-Z][a-z]{2,8},? .+ GMT$|^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(text))
    return null
  // asctime's form names no zone, and means UTC like the others.
  const atMs = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - now.getTime())
}
