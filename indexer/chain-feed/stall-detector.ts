import type { Clock } from '../../shared/runtime/clock.ts'

/**
 * Ponder is stuck if its head does not move for this many block times, and at least this long, although a quorum of
 * nodes has reached a higher head.
 */
const STUCK_AFTER = { blocks: 20, atLeastMs: 60_000 }

/**
 * A Ponder without a head for this long is stuck. A Ponder that is catching up has no head either. Restarting it costs
 * little, because it keeps the fetched blocks.
 */
const UNREADY_FOR_MS = 3_600_000

/**
 * Upper bound of the permitted time without a new head, which doubles with each restart at the same head. A restart
 * queries the nodes in a different order, which fixes most causes, so restarts must not become rare.
 */
const LONGEST_MS = 600_000

/** Creates the detector of a stuck Ponder of one deployment. Pure except for the heads that it remembers. */
export function createStallDetector(deps: { readonly blockTimeMs: number; readonly now: Clock }) {
  const nowMs = () => deps.now().getTime()
  const stuckMs = Math.max(STUCK_AFTER.atLeastMs, STUCK_AFTER.blocks * deps.blockTimeMs)
  let seen: { readonly head: number | null; readonly sinceMs: number } = { head: null, sinceMs: nowMs() }
  let found: { readonly head: number; readonly patienceMs: number } | null = null

  return {
    /** Resets the timer after a Ponder was started. */
    begin: () => {
      seen = { head: null, sinceMs: nowMs() }
    },
    /** Records Ponder's head as the feed has just read it; `null` while Ponder is not ready. */
    note: (head: number | null) => {
      if (head !== seen.head) seen = { head, sinceMs: nowMs() }
      if (head !== null && head !== found?.head) found = null
    },
    /**
     * Returns whether Ponder is stuck, compared with the head that a quorum of nodes has reached. If it is, the timer
     * is reset and its limit doubles until the head moves. On a busy machine a start takes longer than a minute, so a
     * constant limit would restart Ponder in an endless loop.
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
