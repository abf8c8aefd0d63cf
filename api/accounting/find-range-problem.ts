import type { ExportRange } from '../../shared/db/accounting/api/export-entries.ts'

/**
 * Returns why an entry is not in the range of an export, such as "posted at 2026-11-02T10:00:00.000Z, before from
 * 2026-12-01T00:00:00.000Z"; `null` if it is. Without this check, a client that continues an export of another period
 * would get a file with missing entries.
 */
export function findRangeProblem(
  { from, to, recordedSince, recordedUntil }: Omit<ExportRange, 'tenant'>,
  { postedAt, recordedAt }: { readonly postedAt: Date; readonly recordedAt: Date },
): string | null {
  return (
    findOutside('posted', postedAt, { from, to }) ??
    findOutside('recorded', recordedAt, { recordedSince, recordedUntil })
  )
}

/** Takes two bounds by the names of their parameters: first the inclusive start, then the exclusive end. */
function findOutside(what: string, at: Date, bounds: Readonly<Record<string, Date | null>>): string | null {
  const [earliest, end] = Object.entries(bounds)
  for (const [bound, word] of [
    [earliest, 'before'],
    [end, 'at or after'],
  ] as const) {
    const [name, limit] = bound ?? []
    if (limit === null || limit === undefined) continue
    const isOutside = word === 'before' ? at < limit : at >= limit
    if (isOutside) return `${what} at ${at.toISOString()}, ${word} ${name} ${limit.toISOString()}`
  }
  return null
}
