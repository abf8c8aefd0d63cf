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
  writeEntry: (entry, style) => {
    let text = ''
    for (const cells of listCells(entry, style)) {
      for (let index = 0; index < cells.length; index += 1)
        text += `${index === 0 ? '' : ','}${writeCell(cells[index] ?? null, style.columns[index])}`
      text += '\r\n'
    }
    return text
  },
  tail: '',
}

// These are constants, because a regular expression literal in a function would create an object for each cell of an
// export.
const NEEDS_QUOTES = /[",;|\t\r\n]/
const FORMULA_START = /^(?=[\t\r\n])|(?<=^|[,;|\t\r\n])(?=[\s"]*[=+\-@＝＋－＠])/g

function writeCell(cell: string | number | boolean | null, column: string | undefined): string {
  if (cell === null) return ''
  const text = column === 'external_ref' ? disarmFormula(String(cell)) : String(cell)
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Inserts an apostrophe where a spreadsheet would execute the text as a formula. A spreadsheet executes a cell that
 * begins with a character such as `=` or `-`, even if the cell is quoted. A spreadsheet that is set to another
 * separator splits even quoted text into cells, so the apostrophe is inserted before each part that begins like a
 * formula. Must not be applied to our own numbers, which can be negative.
 *
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
function disarmFormula(text: string): string {
  return text.replace(FORMULA_START, "'")
}
