import type { Db } from '../connect.ts'

/** A deployment's head is stale after this many of its block times, and at least this long. */
export type StaleAfter = { readonly blocks: number; readonly atLeastMs: number }

/**
 * The condition that our highest head of a deployment `d` has not advanced for too long, or that there is none; or that
 * fewer nodes than the quorum have responded for two minutes, so that no payment would count.
 */
export function isStale(db: Db, staleAfter: StaleAfter) {
  return db`(coalesce(d.highest_head_at < now() - interval '1 millisecond'
      * greatest(d.block_time_ms * ${staleAfter.blocks}::int, ${staleAfter.atLeastMs}::int), true)
    or coalesce(d.quorum_responded_at < now() - interval '2 minutes', false))`
}
