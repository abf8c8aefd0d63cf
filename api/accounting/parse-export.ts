import type { Static } from '@sinclair/typebox'
import { AppError } from '../../shared/domain/errors.ts'
import { parseTimestamp } from '../http/parse-timestamp.ts'
import { COLUMN_NAMES, type ColumnName, DEFAULT_COLUMNS } from './formats/columns.ts'
import type { FormatName } from './formats/formats.ts'
import { findTimeZone, type TimeZone } from './formats/time-zone.ts'
import type { ExportQuery } from './schema.ts'

/** A validated request for an export. */
export type ExportRequest = {
  readonly from: Date
  readonly to: Date
  readonly recordedSince: Date | null
  readonly recordedUntil: Date | null
  readonly format: FormatName
  readonly zone: TimeZone
  readonly columns: readonly ColumnName[]
  /** The id of the entry after which the export continues; `null` to export from the start. */
  readonly after: string | null
}

const DAY_MS = 24 * 3_600_000

/** Maximum period: a leap year and one hour, because daylight saving time can make the period an hour longer. */
const MAX_RANGE_MS = 366 * DAY_MS + 3_600_000

/**
 * Parses the query of an export.
 *
 * @throws {AppError} `validation_error` that names the parameter
 */
export function parseExport(query: Static<typeof ExportQuery>): ExportRequest {
  const { format = 'csv', timezone = 'UTC', columns, after = null } = query
  const zone = findTimeZone(timezone)
  if (zone === null)
    throw createQueryError('timezone', 'timezone must be the IANA name of a time zone, such as Europe/Berlin')
  const [from, to] = [parseTime('from', query.from, zone), parseTime('to', query.to, zone)]
  if (to <= from) throw createQueryError('to', 'to must be after from')
  if (to.getTime() - from.getTime() > MAX_RANGE_MS)
    throw createQueryError('to', 'to must be at most 366 days after from')
  return {
    ...{ from, to, format, zone, after },
    recordedSince: parseOptionalTime('recordedSince', query.recordedSince, zone),
    recordedUntil: parseOptionalTime('recordedUntil', query.recordedUntil, zone),
    columns: columns === undefined ? DEFAULT_COLUMNS : parseColumns(columns),
  }
}

function parseTime(name: string, text: string, zone: TimeZone): Date {
  const time = parseTimestamp(text)
  if (time === null)
    throw createQueryError(name, `${name} must be an ISO 8601 timestamp or a date, such as 2026-11-01`)
  return text.length === '2026-11-01'.length ? zone.startOfDay(text) : time
}

function parseOptionalTime(name: string, text: string | undefined, zone: TimeZone): Date | null {
  return text === undefined ? null : parseTime(name, text, zone)
}

function parseColumns(text: string): readonly ColumnName[] {
  const names = text.split(',')
  const unknown = names.find((name) => !isColumn(name))
  if (unknown !== undefined)
    throw createQueryError('columns', `columns contains ${JSON.stringify(unknown)}, which is not a column`)
  if (new Set(names).size < names.length)
    throw createQueryError('columns', 'columns contains a column more than once')
  return names.filter(isColumn)
}

function isColumn(name: string): name is ColumnName {
  return COLUMN_NAMES.some((known) => known === name)
}

function createQueryError(param: string, message: string): AppError {
  return new AppError('validation_error', message, { param })
}
