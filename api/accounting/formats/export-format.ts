import type { Environment } from '../../../shared/domain/networks.ts'
import type { ExportEntry } from '../export-entry.ts'
import type { ColumnName } from './columns.ts'
import type { TimeZone } from './time-zone.ts'

/** Options of the text of an export. */
export type ExportStyle = {
  readonly environment: Environment
  readonly zone: TimeZone
  /** Used only for CSV and NDJSON. */
  readonly columns: readonly ColumnName[]
}

/**
 * Writes entries as text. The text of an entry depends only on the entry and the style, so that a continued export is
 * exactly the missing rest of the interrupted export.
 */
export type ExportFormat = {
  readonly contentType: string
  readonly fileExtension: string
  /** Returns the text before the first entry. */
  readonly writeHead: (style: ExportStyle) => string
  readonly writeEntry: (entry: ExportEntry, style: ExportStyle) => string
  /** The text after the last entry. */
  readonly tail: string
}
