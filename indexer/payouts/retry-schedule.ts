/**
 * Delay after a postponed attempt, for example when the chain's nodes did not respond. An outage usually lasts less
 * than a minute, or much longer.
 */
export const NODE_RETRY_SECONDS = 60
/** Interval at which held payouts are checked again (specification, "Limits"). */
export const RECHECK_SECONDS = 3600
/**
 * Interval at which an amount below the minimum payout is checked again. It may be long, because a credit usually makes
 * the payout due earlier.
 */
export const DUST_RECHECK_SECONDS = 3600

/**
 * Returns the delay between a failed attempt and the next one, in seconds: the difference of their times in the
 * schedule. `decide-payout.ts` stores the time of the next attempt with the payout, and `payout-worker.ts` makes the
 * attempts that are due.
 *
 * @param attempts - attempts made so far, including the failed one
 * @param delaysSeconds - times of the attempts, in seconds after the first: `[0, 30, 120, …]`, setting
 *   `PAYOUT_RETRY_SCHEDULE` (decisions 5.1)
 */
export function getRetrySeconds(attempts: number, delaysSeconds: readonly number[]): number {
  const made = delaysSeconds[attempts - 1] ?? 0
  return Math.max(0, (delaysSeconds[attempts] ?? made) - made)
}

/**
 * Returns whether the schedule has no further attempt. If so, a failed attempt makes the payout `failed`, but keepers
 * may still distribute it.
 */
export function isLastAttempt(attempts: number, delaysSeconds: readonly number[]): boolean {
  return attempts >= delaysSeconds.length
}

/**
 * Returns the delay, in seconds, before an empty split is checked again: the time since the attempt began, but at least
 * a minute and at most an hour. The event of the distribution that emptied the split usually arrives within about a
 * minute. After an hour without the event, more frequent checks are unlikely to help.
 */
export function getRecheckSeconds(processingStartedAt: Date | null, now: Date): number {
  const seconds = (now.getTime() - (processingStartedAt ?? now).getTime()) / 1000
  return Math.min(RECHECK_SECONDS, Math.max(NODE_RETRY_SECONDS, seconds))
}
