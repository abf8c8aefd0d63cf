import { listCells } from './columns.ts'
import type { ExportFormat } from './export-format.ts'

/** One JSON object per leg and line. Amounts are strings, because many programs read JSON numbers as doubles. */
export const NDJSON: ExportFormat = {
  contentType: 'application/x-ndjson; charset=utf-8',
  fileExtension: 'ndjson',
  writeHead: () => '',
  writeEntry: (entry, style) => {
    const names = style.columns.map(toCamelCase)
    return listCells(entry, style)
      .map(
        (cells) =>
          `${JSON.stringify(Object.fromEntries(cells.map((cell, index) => [names[index], cell])))}\n`,
      )
      .join('')
  },
  tail: '',
}

function toCamelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
