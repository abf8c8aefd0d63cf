/**
 * What a process remembers of charges whose turn failed for what may not be their own fault, so that they hold up no
 * other. They rest, each time for longer, and have their next turn alone. And how many have just been parked, for what
 * fails one after the other is no fault of theirs.
 *
 * In memory only: after a restart each is tried once more. It forgets a charge that had its turn, and the one that failed
 * the longest ago when there are too many.
 */
export type FailedTurns = {
  /** Whether the last turn of this charge failed. */
  readonly has: (id: string) => boolean
  /** Those that rest, at most `MOST_REMEMBERED`. */
  readonly listResting: (now: Date) => readonly string[]
  readonly note: (ids: readonly string[], now: Date) => void
  /** They had their turn, or there was nothing for them to do. */
  readonly forget: (ids: readonly string[]) => void
  /** A turn failed that looks like its charge's own fault. Answers how many did since the last that did something. */
  readonly countFault: () => number
  /** A turn did something: it is not all of them that fail. */
  readonly endFaults: () => void
}

/** As many as five lists of charges with something to do; what is asked for each second names them all. */
const MOST_REMEMBERED = 1_000

const FIRST_REST_MS = 1_000

/** What the last charge waits at most once the trouble is over; and 30 s of each 5 minutes at most go to a sick one. */
const LONGEST_REST_MS = 300_000

/** Makes an empty memory. */
export function createFailedTurns(): FailedTurns {
  const failed = new Map<string, { readonly at: number; readonly restMs: number }>()
  let faults = 0
  return {
    has: (id) => failed.has(id),
    // A clock that was set back makes nobody rest for longer.
    listResting: (now) =>
      [...failed].flatMap(([id, { at, restMs }]) => {
        const restedMs = now.getTime() - at
        return restedMs >= 0 && restedMs < restMs ? [id] : []
      }),
    note: (ids, now) => {
      for (const id of ids) {
        const restMs = Math.min(2 * (failed.get(id)?.restMs ?? FIRST_REST_MS / 2), LONGEST_REST_MS)
        failed.delete(id)
        failed.set(id, { at: now.getTime(), restMs })
      }
      for (const id of [...failed.keys()].slice(0, -MOST_REMEMBERED)) failed.delete(id)
    },
    forget: (ids) => {
      for (const id of ids) failed.delete(id)
    },
    countFault: () => {
      faults += 1
      return faults
    },
    endFaults: () => {
      faults = 0
    },
  }
}
