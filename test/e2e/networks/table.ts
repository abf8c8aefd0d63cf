import { CASES, listCases } from './cases.ts'
import type { Row } from './rows.ts'

type Cell = { readonly text: string; readonly isOk: boolean }

/** The results of all cases on all networks. */
export type Table = {
  /**
   * Records a passed case.
   *
   * @param note - text for the cell instead of `ok`
   */
  readonly pass: (row: Row, caseName: string, note: string | undefined) => void
  readonly fail: (row: Row, caseName: string) => void
  readonly noteTime: (row: Row, seconds: number) => void
  /** Formats the table with a header and one line per row. */
  readonly print: () => string
  /** Returns the cells without a result. */
  readonly missing: () => readonly string[]
}

export function createTable(rows: readonly Row[]): Table {
  const cells = new Map<string, Cell>()
  const times = new Map<string, number>()
  const keyOf = (row: Row, name: string) => `${row.name} × ${name}`
  const cellOf = (row: Row, name: string): string => {
    if (!listCases(row).some((one) => one.name === name)) return '–'
    return cells.get(keyOf(row, name))?.text ?? 'MISSING'
  }
  const lineOf = (row: Row): readonly string[] => [
    row.name,
    `${row.confirmations} × ${row.blockMs} ms`,
    ...CASES.map(({ name }) => cellOf(row, name)),
    `${times.get(row.name) ?? '?'} s`,
  ]
  return {
    pass: (row, name, note) => cells.set(keyOf(row, name), { text: note ?? 'ok', isOk: true }),
    fail: (row, name) => cells.set(keyOf(row, name), { text: 'FAILED', isOk: false }),
    noteTime: (row, seconds) => times.set(row.name, seconds),
    print: () => align([['network', 'depth', ...CASES.map(({ name }) => name), 'time'], ...rows.map(lineOf)]),
    missing: () =>
      rows.flatMap((row) =>
        listCases(row)
          .map(({ name }) => keyOf(row, name))
          .filter((key) => !cells.has(key)),
      ),
  }
}

function align(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  return lines
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
