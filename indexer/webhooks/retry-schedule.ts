/** A failed attempt, and the retry delay that the endpoint requested. */
export type FailedAttempt = {
  /** Start of the first attempt of the cycle. */
  readonly cycleStartedAt: Date
  readonly startedAt: Date
  readonly finishedAt: Date
  /** Attempts made in this cycle, including this one; at least 1. */
  readonly cycleAttempts: number
  /** Delay that the endpoint requested, counted from `finishedAt`; `null` if none. */
  readonly retryAfterMs: number | null
}

/**
 * Returns the time at which the attempt after a failed attempt is due, or `null` if the schedule is used up.
 * `decide-delivery.ts` stores this time with the delivery, and `delivery-actor.ts` makes the attempts that are due.
 *
 * The delays count from the first attempt of the cycle. Even if an outage of our service delays an attempt, the next
 * one starts at least the schedule's first interval after it. The endpoint's `Retry-After` can extend the wait to at
 * most twice its planned length, and cannot shorten it.
 *
 * @param delaysSeconds - setting `WEBHOOK_RETRY_SCHEDULE`; default `[0, 300, 1800, 7200, 86400]` (decisions 6.5)
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
 * Parses a `Retry-After` header, which is a number of seconds or an HTTP date. Returns the milliseconds from `now`, 0
 * for a past date, or `null` if the header is missing or invalid.
 *
 * @see RFC 9110, sections 10.2.3 and 5.6.7
 */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  if (!/^[A-Z][a-z]{2,8},? .+ GMT$|^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(text))
    return null
  // The asctime form names no time zone. It means UTC, like the other forms.
  const atMs = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - now.getTime())
}
