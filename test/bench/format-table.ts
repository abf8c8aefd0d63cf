import { type Comparison, isReached, type Measurement } from './compare.ts'

const HEADER = ['ratio', 'target', 'ours', 'yardstick', 'unit', ''] as const

/** Formats the results of a bench, one line per result. */
export function formatTable(found: readonly (Comparison | Measurement)[]): string {
  const lines = [HEADER, ...found.map(cellsOf)]
  const widths = HEADER.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  return lines
    .map((cells) => `  ${cells.map((cell, column) => pad(cell, { column, widths })).join('  ')}`.trimEnd())
    .join('\n')
}

function cellsOf(found: Comparison | Measurement): readonly string[] {
  if ('value' in found) return ['', '', String(found.value), '', found.unit, found.name]
  const { name, unit, ratio, aim, ours, yardstick } = found
  const target = aim === null ? '' : `${Number(aim.toFixed(2))} ${isReached(found) ? 'reached' : 'MISSED'}`
  return [ratio.toFixed(2), target, format(ours), format(yardstick), unit, name]
}

/** Aligns numbers to the right, and the columns `target`, `unit` and name to the left. */
function pad(
  cell: string,
  { column, widths }: { readonly column: number; readonly widths: readonly number[] },
): string {
  const width = widths[column] ?? 0
  return column >= 4 || column === 1 ? cell.padEnd(width) : cell.padStart(width)
}

function format(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0)
}
