const ISO_8601 = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

/**
 * Reads an ISO 8601 timestamp, or a date as its midnight in UTC; to the millisecond, and never before 1970, since
 * PostgreSQL has no year 0 and nothing of ours is older.
 *
 * @returns `null` if it is none
 */
export function parseTimestamp(text: string): Date | null {
  const moment = new Date(ISO_8601.test(text) ? text : Number.NaN)
  return Number.isNaN(moment.getTime()) ? null : new Date(Math.max(0, moment.getTime()))
}
