import type { Environment } from '../../../shared/domain/networks.ts'
import type { ExportEntry } from '../export-entry.ts'
import type { ColumnName } from './columns.ts'
import type { TimeZone } from './time-zone.ts'

/** How an export is written. */
export type ExportStyle = {
  readonly environment: Environment
  readonly zone: TimeZone
  /** For the formats with columns. */
  readonly columns: readonly ColumnName[]
}

/**
 * Writes entries as text. The text of an entry depends only on the entry, so that the rest of an export continues exactly
 * where an interrupted one ended.
 */
export type ExportFormat = {
  readonly contentType: string
  readonly fileExtension: string
  /** The text before the first entry. */
  readonly writeHead: (style: ExportStyle) => string
  readonly writeEntry: (entry: ExportEntry, style: ExportStyle) => string
  /** The text after the last entry. */
  readonly tail: string
}
