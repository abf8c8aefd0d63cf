import type { Outcome } from './simulate.ts'

/** Maximum number of runs. More runs would not help to understand a failure. */
const MAX_RUNS = 40

/**
 * Searches for a small set of a failed seed's faults that still makes it fail: leaves out half of the faults, then
 * quarters, then single faults, as long as the seed fails. Without a fault the history changes, so that other faults
 * might happen.
 *
 * @param run - runs the seed without these faults
 * @returns the failed outcome with the fewest faults, and the faults that were left out for it
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
