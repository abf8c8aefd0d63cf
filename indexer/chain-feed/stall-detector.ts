import type { Clock } from '../../shared/runtime/clock.ts'

/**
 * Ponder is stuck if its head does not move for this many block times, and at least this long, although a quorum of
 * nodes has reached a higher head.
 */
const STUCK_AFTER = { blocks: 20, atLeastMs: 60_000 }

/**
 * Ponder is also stuck if it has no head for this long. While Ponder catches up, it has no head either, but a restart
 * costs little, because the fetched blocks are kept.
 */
const UNREADY_FOR_MS = 3_600_000

/**
 * Upper bound of the permitted time without a new head, which doubles with each restart at the same head. A restart
 * queries the nodes in a different order, which fixes most causes, so restarts must not become rare.
 */
const LONGEST_MS = 600_000

/** Creates the detector of a stuck Ponder process of one deployment. */
export function createStallDetector(deps: { readonly blockTimeMs: number; readonly now: Clock }) {
  const nowMs = () => deps.now().getTime()
  const stuckMs = Math.max(STUCK_AFTER.atLeastMs, STUCK_AFTER.blocks * deps.blockTimeMs)
  let seen: { readonly head: number | null; readonly sinceMs: number } = { head: null, sinceMs: nowMs() }
  let found: { readonly head: number; readonly patienceMs: number } | null = null

  return {
    begin: () => {
      seen = { head: null, sinceMs: nowMs() }
    },
    /** Records Ponder's current head; `null` while Ponder is not ready. */
    note: (head: number | null) => {
      if (head !== seen.head) seen = { head, sinceMs: nowMs() }
      if (head !== null && head !== found?.head) found = null
    },
    /**
     * Returns whether Ponder is stuck, compared with the head that a quorum of nodes has reached. If so, resets the
     * timer, and doubles its limit until the head moves. On a busy machine a start takes longer than a minute, so a
     * constant limit would restart Ponder endlessly.
     */
    isStuck: (headNumber: number) => {
      const { head, sinceMs } = seen
      const patienceMs = head === null ? UNREADY_FOR_MS : (found?.patienceMs ?? stuckMs)
      if (nowMs() - sinceMs < patienceMs || headNumber <= (head ?? -1)) return false
      if (head !== null) found = { head, patienceMs: Math.min(2 * patienceMs, LONGEST_MS) }
      seen = { head, sinceMs: nowMs() }
      return true
    },
  }
}
