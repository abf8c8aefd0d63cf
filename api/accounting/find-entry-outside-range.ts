import type { ExportRange } from '../../shared/db/accounting/api/export-entries.ts'

/**
 * Returns why an entry is not in the range of an export, such as "posted at 2026-11-02T10:00:00.000Z, before from
 * 2026-12-01T00:00:00.000Z"; `null` if it is. Without this check, a client that sends an `after` from the export of
 * another period would get a file with missing entries.
 */
export function findEntryOutsideRange(
  { from, to, recordedSince, recordedUntil }: Omit<ExportRange, 'tenant'>,
  { postedAt, recordedAt }: { readonly postedAt: Date; readonly recordedAt: Date },
): string | null {
  return (
    findOutside('posted', postedAt, { start: { from }, end: { to } }) ??
    findOutside('recorded', recordedAt, { start: { recordedSince }, end: { recordedUntil } })
  )
}

/** A limit, keyed by the name of its query parameter; `null` if the request does not set the parameter. */
type Bound = Readonly<Record<string, Date | null>>

function findOutside(
  what: string,
  at: Date,
  { start, end }: { readonly start: Bound; readonly end: Bound },
): string | null {
  for (const [name, limit] of Object.entries(start))
    if (limit !== null && at < limit) return describe(what, at, { word: 'before', name, limit })
  for (const [name, limit] of Object.entries(end))
    if (limit !== null && at >= limit) return describe(what, at, { word: 'at or after', name, limit })
  return null
}

function describe(
  what: string,
  at: Date,
  bound: { readonly word: string; readonly name: string; readonly limit: Date },
): string {
  return `${what} at ${at.toISOString()}, ${bound.word} ${bound.name} ${bound.limit.toISOString()}`
}
