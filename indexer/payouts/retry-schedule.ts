/** A chain that could not be asked is asked again this soon: nodes are back within a minute, or away for long. */
export const POSTPONED_SECONDS = 60
/** Held payouts are looked at again this often (specification, "Limits"). */
export const RECHECK_SECONDS = 3600
/** Dust grows only by credits, which hasten it. */
export const DUST_RECHECK_SECONDS = 3600

/**
 * Answers how long after a failed attempt the next one is made. The schedule counts from the first attempt, so from
 * attempt n to n + 1 it is the difference.
 *
 * @param attempts - made so far, the failed one included
 * @param delaysSeconds - when attempts are made, from the first: `[0, 30, 120, …]` (decisions 5.1)
 */
export function secondsToRetry(attempts: number, delaysSeconds: readonly number[]): number {
  const made = delaysSeconds[attempts - 1] ?? 0
  return Math.max(0, (delaysSeconds[attempts] ?? made) - made)
}

/** Tells whether the schedule has no attempt after so many; then the payout has failed, and keepers may still pay it. */
export function isLastAttempt(attempts: number, delaysSeconds: readonly number[]): boolean {
  return attempts >= delaysSeconds.length
}

/**
 * Answers how long to wait before a payout that found nothing to do is looked at again: as long again as it has been
 * since the attempt began. The event of whoever was faster comes within a minute or so, and if nothing has come for an
 * hour, nothing is known that would make the next look find more.
 */
export function secondsToNextLook(processingStartedAt: Date | null, now: Date): number {
  const seconds = (now.getTime() - (processingStartedAt ?? now).getTime()) / 1000
  return Math.min(RECHECK_SECONDS, Math.max(POSTPONED_SECONDS, seconds))
}
