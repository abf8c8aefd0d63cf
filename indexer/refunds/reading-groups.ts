import type { WatchedRefund } from '../../shared/db/refunds/daemon/watched-refunds.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import { groupByPosition } from './group-by-position.ts'
import type { Reading } from './read-blocks.ts'

/** Delay before a refund is read again after a quorum did not list or did not decide all its transactions. */
const REST_MS = 60_000
/** Time from the end of a rest until the rest is deleted from memory. */
const FORGET_MS = 3_600_000
/** Maximum refunds read separately per reading and turn. */
const ALONE_PER_TURN = 5

export type ReadingGroup = {
  readonly refunds: readonly WatchedRefund[]
  /** Whether these refunds do not lag (`Reading.recentBlock`). A failure to read this group stops the turn. */
  readonly isRecent: boolean
}

/** Creates the schedule that decides which refunds of a chain are read together, read separately, or not read yet. */
export function createReadingGroups(now: Clock) {
  /** The end of each rest in Unix milliseconds, by reading and refund. */
  const resting = new Map<string, number>()
  /** The end of the rest of each isolated refund. */
  const alone = new Map<string, number>()

  return {
    list,
    /** Pauses the reading of lagging refunds for a minute. Refunds that do not lag are still read with the others. */
    rest: (reading: Reading, refunds: readonly WatchedRefund[]) => note(resting, reading, refunds),
    /** Pauses refunds whose transfers could not be listed. After a minute, each is read separately. */
    isolate: (reading: Reading, refunds: readonly WatchedRefund[]) => note(alone, reading, refunds),
    /** Ends the separate reading of refunds. */
    rejoin: (reading: Reading, refunds: readonly WatchedRefund[]) => {
      for (const refund of refunds) alone.delete(keyOf(reading, refund))
    },
  }

  /** Returns the groups to read in this turn. Refunds that are read separately come last. */
  function list(refunds: readonly WatchedRefund[], reading: Reading): readonly ReadingGroup[] {
    forgetEnded()
    const nowMs = now().getTime()
    const { positionOf, recentBlock } = reading
    const isRecent = (refund: WatchedRefund) => positionOf(refund) >= recentBlock
    const isAwake = (refund: WatchedRefund) => (resting.get(keyOf(reading, refund)) ?? 0) <= nowMs
    const together = refunds.filter(
      (refund) => !alone.has(keyOf(reading, refund)) && (isRecent(refund) || isAwake(refund)),
    )
    const apart = refunds.filter(
      (refund) => (alone.get(keyOf(reading, refund)) ?? nowMs + 1) <= nowMs && isAwake(refund),
    )
    return [
      ...groupByPosition(together, positionOf, recentBlock).map((group) => ({
        ...{ refunds: group, isRecent: group.some(isRecent) },
      })),
      ...apart.slice(0, ALONE_PER_TURN).map((refund) => ({ refunds: [refund], isRecent: false })),
    ]
  }

  function note(rests: Map<string, number>, reading: Reading, refunds: readonly WatchedRefund[]): void {
    for (const refund of refunds) rests.set(keyOf(reading, refund), now().getTime() + REST_MS)
  }

  /** Deletes old rests, because their refunds might no longer be watched. */
  function forgetEnded(): void {
    const beforeMs = now().getTime() - FORGET_MS
    for (const rests of [resting, alone])
      for (const [key, untilMs] of rests) if (untilMs < beforeMs) rests.delete(key)
  }
}

function keyOf({ name }: Reading, { id }: WatchedRefund): string {
  return `${name}/${id}`
}
