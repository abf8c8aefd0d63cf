/** The trailing 24 hours are the present hour and the 23 before it. */
const WINDOW_HOURS = 24
const HOUR_MS = 3_600_000

/** Answers the hour that an attempt of this moment is counted in, and the first of those that the ratio is of. */
export function healthWindow(now: Date): { readonly hour: Date; readonly since: Date } {
  const hourMs = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS
  return { hour: new Date(hourMs), since: new Date(hourMs - (WINDOW_HOURS - 1) * HOUR_MS) }
}
