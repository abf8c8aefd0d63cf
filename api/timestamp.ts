const ISO_8601 = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

/** An offset can lead into the year 10000, which JavaScript writes with a sign that PostgreSQL takes for a time zone. */
const END_MS = Date.UTC(10_000, 0)

/**
 * Reads an ISO 8601 timestamp, or a date as its midnight in UTC; to the millisecond, and never before 1970, since
 * PostgreSQL has no year 0 and nothing of ours is older.
 *
 * @returns `null` if it is none, is of a day that no month has, or lies beyond the year 9999
 */
export function parseTimestamp(text: string): Date | null {
  const ms = ISO_8601.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN
  return ms < END_MS ? new Date(Math.max(0, ms)) : null
}

/** JavaScript takes the 30th of February for the 2nd of March. */
function isDay(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date)
}
