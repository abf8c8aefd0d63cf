import { createFieldError } from './field-error.ts'

const ISO_8601 = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

/**
 * First time that is rejected. With an offset, a timestamp can be in the year 10000 in UTC. JavaScript writes this year
 * with a sign, which PostgreSQL would read as a time zone.
 */
const END_MS = Date.UTC(10_000, 0)

/**
 * Parses an ISO 8601 timestamp, or a date as its midnight in UTC, to the millisecond. Times before 1970 become 1970,
 * because PostgreSQL has no year 0 and the service has no older rows.
 *
 * @returns `null` if the text is not a timestamp, the day does not exist, or the year is after 9999
 */
export function parseTimestamp(text: string): Date | null {
  const ms = ISO_8601.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN
  return ms < END_MS ? new Date(Math.max(0, ms)) : null
}

/**
 * Parses the timestamp in a field of a request.
 *
 * @throws {AppError} `validation_error` if `parseTimestamp` returns `null`
 */
export function requireTimestamp(text: string, param: string): Date {
  const timestamp = parseTimestamp(text)
  if (timestamp !== null) return timestamp
  const shown = JSON.stringify(text)
  throw createFieldError(param, `is ${shown}; it must be an ISO 8601 timestamp such as 2026-01-31T12:00:00Z`)
}

/** Returns whether a day exists. JavaScript parses the 30th of February as the 2nd of March. */
function isDay(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date)
}
