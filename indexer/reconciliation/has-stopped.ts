/** The last block that a node has, of those that one asks it for. */
export type NodeEnd = { readonly number: number; readonly timestampMs: number }

/**
 * A node whose last block is older, and that many blocks behind, has stopped: it would hold back everybody for ever.
 * Never by its number alone, or one node that makes up a head would be the only one left.
 */
export const STOPPED_MS = 600_000

/** Tells whether a node has stopped beside another that goes on: a chain that stands still leaves nobody out. */
export function hasStopped(
  end: NodeEnd,
  {
    ends,
    blockTimeMs,
    now,
  }: { readonly ends: readonly NodeEnd[]; readonly blockTimeMs: number; readonly now: Date },
): boolean {
  const isOld = ({ timestampMs }: NodeEnd) => now.getTime() - timestampMs > STOPPED_MS
  const isAhead = (other: NodeEnd) => other.number - end.number > STOPPED_MS / blockTimeMs
  return isOld(end) && ends.some((other) => !isOld(other) && isAhead(other))
}
