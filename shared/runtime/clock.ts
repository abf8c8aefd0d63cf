/** Returns the current time. Code that depends on time takes it as a parameter, so that tests can control it. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

/** Returns whether an interval has passed, or the clock was set back, which would otherwise delay the next action. */
export function hasPassed(
  intervalMs: number,
  { sinceMs, nowMs }: { readonly sinceMs: number; readonly nowMs: number },
) {
  return nowMs < sinceMs || nowMs - sinceMs >= intervalMs
}
