/** Parses complete CSV records (RFC 4180) into their cells. */
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

/** Matches a cell, and the comma, line break or end of the text after it. */
const CELL = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n|$)/g
