import type { Outcome } from './simulate.ts'

/** More runs than this help nobody to understand a failure. */
const MAX_RUNS = 40

/**
 * Looks for few faults of a failed seed that still make it fail: half of them are left out, then quarters, then single
 * ones, as long as that goes. Without a fault the history goes another way, so that others may happen in it.
 *
 * @param run - runs the seed without these faults
 * @returns the failed outcome with the fewest faults that was found, and what must be left out for it
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
