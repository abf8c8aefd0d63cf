import type { Clock } from '../../shared/runtime/clock.ts'

/** A Ponder whose head stands for so many block times, and at least so long, though a node's moves on, is stuck. */
const STUCK_AFTER = { blocks: 20, atLeastMs: 60_000 }

/** One that catches up shows no head until it is level; what it has fetched is kept, so that a restart costs little. */
const UNREADY_FOR_MS = 3_600_000

/** A restart asks the nodes in another order, which mends most of what a Ponder can be stuck at: not seldomer than this. */
const LONGEST_MS = 600_000

/** Tells when a Ponder is stuck. Pure but for what it remembers of the heads it was told. */
export type StuckWatch = {
  /** A Ponder was started: the time begins anew. */
  readonly begin: () => void
  /** Ponder's head as the feed has just read it; `null` while Ponder is not ready. */
  readonly note: (headNumber: number | null) => void
  /**
   * Whether Ponder is stuck, compared with the head that a quorum of nodes has reached; if it is, the time begins anew, and is twice as long
   * until the head moves: on a busy machine a start takes longer than a minute, and restarting it would never end.
   */
  readonly isStuck: (headNumber: number) => boolean
}

/** Makes the watch over one deployment's Ponder. */
export function createStuckWatch(deps: { readonly blockTimeMs: number; readonly now: Clock }): StuckWatch {
  const nowMs = () => deps.now().getTime()
  const stuckMs = Math.max(STUCK_AFTER.atLeastMs, STUCK_AFTER.blocks * deps.blockTimeMs)
  let seen: { readonly head: number | null; readonly sinceMs: number } = { head: null, sinceMs: nowMs() }
  let found: { readonly head: number; readonly patienceMs: number } | null = null

  return {
    begin: () => {
      seen = { head: null, sinceMs: nowMs() }
    },
    note: (head) => {
      if (head !== seen.head) seen = { head, sinceMs: nowMs() }
      if (head !== null && head !== found?.head) found = null
    },
    isStuck: (headNumber) => {
      const { head, sinceMs } = seen
      const patienceMs = head === null ? UNREADY_FOR_MS : (found?.patienceMs ?? stuckMs)
      if (nowMs() - sinceMs < patienceMs || headNumber <= (head ?? -1)) return false
      if (head !== null) found = { head, patienceMs: Math.min(2 * patienceMs, LONGEST_MS) }
      seen = { head, sinceMs: nowMs() }
      return true
    },
  }
}
