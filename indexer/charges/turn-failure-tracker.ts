/**
 * In-memory record of charges whose turn failed for a reason that the charge might not have caused, so that they do not
 * block other charges. Such a charge rests, longer after each failure, and has its next turn in its own transaction.
 * The record also counts consecutive failures that a charge seems to have caused, because several in a row indicate
 * another cause.
 *
 * A restart clears the record. If the record is full, the charge with the oldest failure is removed.
 */
export type TurnFailureTracker = ReturnType<typeof createTurnFailureTracker>

/**
 * Maximum charges in the record: five full lists of charges with work to do. The query for that list names all recorded
 * charges every second.
 */
const MAX_REMEMBERED = 1_000

const FIRST_REST_MS = 1_000

/**
 * Maximum rest of a charge, and therefore its maximum wait after the cause of the failure has ended. A charge whose
 * turns all reach the statement timeout of 30 s then takes up only about 30 s in 5 minutes.
 */
const LONGEST_REST_MS = 300_000

/** Creates an empty record. */
export function createTurnFailureTracker() {
  const failed = new Map<string, { readonly at: number; readonly restMs: number }>()
  let faults = 0
  return {
    has: (id: string) => failed.has(id),
    /** Lists the resting charges. If the clock is set back to before the failure, the rest ends. */
    listResting: (now: Date) =>
      [...failed].flatMap(([id, { at, restMs }]) => {
        const restedMs = now.getTime() - at
        return restedMs >= 0 && restedMs < restMs ? [id] : []
      }),
    note: (ids: readonly string[], now: Date) => {
      for (const id of ids) {
        const restMs = Math.min(2 * (failed.get(id)?.restMs ?? FIRST_REST_MS / 2), LONGEST_REST_MS)
        failed.delete(id)
        failed.set(id, { at: now.getTime(), restMs })
      }
      for (const id of [...failed.keys()].slice(0, -MAX_REMEMBERED)) failed.delete(id)
    },
    /** Removes charges from the record: their turn succeeded, they had no work to do, or they were quarantined. */
    forget: (ids: readonly string[]) => {
      for (const id of ids) failed.delete(id)
    },
    /**
     * Counts a failure that the charge seems to have caused. Returns the number of such failures since the last
     * successful turn.
     */
    countFault: () => {
      faults += 1
      return faults
    },
    /** Resets the count after a successful turn, which shows that not all charges fail. */
    endFaults: () => {
      faults = 0
    },
  }
}
