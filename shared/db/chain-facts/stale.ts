import type { Db } from '../connect.ts'

/** Age at which a deployment's head is stale: `blocks` block times, but at least `atLeastMs`. */
export type StaleAfter = { readonly blocks: number; readonly atLeastMs: number }

/**
 * Returns the condition that a deployment `d` is stale: its highest head is missing or too old, or no quorum of
 * operators has responded for two minutes, so that no payment would count.
 */
export function isStale(db: Db, staleAfter: StaleAfter) {
  return db`(coalesce(d.max_head_at < now() - interval '1 millisecond'
      * greatest(d.block_time_ms * ${staleAfter.blocks}::int, ${staleAfter.atLeastMs}::int), true)
    or coalesce(d.quorum_responded_at < now() - interval '2 minutes', false))`
}
