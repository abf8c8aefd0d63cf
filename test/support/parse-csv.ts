/** Parses whole CSV records into their cells, by RFC 4180. */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, quoted, plain = '', end = ''] of text.matchAll(CELL)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === ',') continue
    if (end !== '' || row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  return rows
}

/** A cell and what follows it: a comma, a line break, or the end. */
const CELL = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n|$)/g
