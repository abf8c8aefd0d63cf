import { listCells } from './columns.ts'
import type { ExportFormat } from './export-format.ts'

/**
 * CSV with a header row, in UTF-8 without a byte order mark, one row per leg.
 *
 * @see RFC 4180
 */
export const CSV: ExportFormat = {
  contentType: 'text/csv; charset=utf-8; header=present',
  fileExtension: 'csv',
  writeHead: ({ columns }) => `${columns.join(',')}\r\n`,
  writeEntry: (entry, style) =>
    listCells(entry, style)
      .map((cells) => `${cells.map((cell, index) => writeCell(cell, style.columns[index])).join(',')}\r\n`)
      .join(''),
  tail: '',
}

function writeCell(cell: string | number | boolean | null, column: string | undefined): string {
  if (cell === null) return ''
  const text = column === 'external_ref' ? disarmFormula(String(cell)) : String(cell)
  return /[",;|\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Inserts an apostrophe where a spreadsheet would execute the text. It executes a cell that begins with one of these
 * characters, even if the cell is quoted. A spreadsheet that splits rows at a separator other than ours turns parts of
 * a text into cells, even if the text is quoted, so each part gets its own apostrophe. This function is applied only to
 * text from outside, because our own numbers can be negative.
 *
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
function disarmFormula(text: string): string {
  return text.replace(/^(?=[\t\r\n])|(?<=^|[,;|\t\r\n])(?=[\s"]*[=+\-@＝＋－＠])/g, "'")
}
