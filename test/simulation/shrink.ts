import type { Outcome } from './simulate.ts'

/** Maximum number of runs. More runs would not help to understand a failure. */
const MAX_RUNS = 40

/**
 * Searches for a small set of faults with which a failed seed still fails. Omits halves of the faults, then quarters,
 * down to single faults, and keeps each omission with which the seed still fails. An omission changes the history, so
 * other faults can occur.
 *
 * @param run - runs the seed without these faults
 * @returns the failed outcome with the fewest faults, and the omitted faults
 */
export async function shrink(
  failed: Outcome,
  run: (withoutFaults: ReadonlySet<string>) => Promise<Outcome>,
): Promise<{ readonly outcome: Outcome; readonly withoutFaults: ReadonlySet<string> }> {
  let best = { outcome: failed, withoutFaults: new Set<string>() as ReadonlySet<string> }
  let runs = 0
  for (let size = Math.ceil(failed.faults.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.outcome.faults.length && runs < MAX_RUNS; runs += 1) {
      const withoutFaults = new Set([...best.withoutFaults, ...best.outcome.faults.slice(at, at + size)])
      const outcome = await run(withoutFaults)
      const isSmaller = outcome.failure !== null && outcome.faults.length < best.outcome.faults.length
      if (isSmaller) best = { outcome, withoutFaults }
      else at += size
    }
  }
  return best
}
