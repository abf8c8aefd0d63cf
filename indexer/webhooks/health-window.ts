/** Hours that the failure ratio covers: the current hour and the 23 hours before it. */
const WINDOW_HOURS = 24
const HOUR_MS = 3_600_000

/** Returns the hour in which an attempt at `now` is counted, and the first hour that the failure ratio covers. */
export function getHealthWindow(now: Date): { readonly hour: Date; readonly since: Date } {
  const hourMs = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS
  return { hour: new Date(hourMs), since: new Date(hourMs - (WINDOW_HOURS - 1) * HOUR_MS) }
}
