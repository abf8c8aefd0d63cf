import type { Clock } from '../../shared/runtime/clock.ts'

/** A block in a node's response, with the only field that the guard reads. */
export type HeadResponse = { readonly number: string }

/** Time for which every response must show a lower head before the guard accepts that the chain was rolled back. */
const BELIEVE_LOWER_AFTER_MS = 30_000

/**
 * Prevents a lagging node behind a load balancer from looking like a reorganization.
 *
 * If a head is lower than the highest head seen, the guard returns the highest head, which Ponder already has and
 * skips. Without the guard, a node one block behind caused 5 false reorganizations in 40 s. A head of the same height
 * with a different hash is passed on, because it is a real reorganization.
 */
export function createHeadGuard<Block extends HeadResponse>(now: Clock) {
  let highest: Block | null = null
  let lowerSinceMs: number | null = null

  return (answer: Block): Block => {
    const isLower = highest !== null && BigInt(answer.number) < BigInt(highest.number)
    if (highest === null || !isLower || hasStayedLower()) {
      highest = answer
      lowerSinceMs = null
      return answer
    }
    lowerSinceMs ??= now().getTime()
    return highest
  }

  function hasStayedLower(): boolean {
    return lowerSinceMs !== null && now().getTime() - lowerSinceMs >= BELIEVE_LOWER_AFTER_MS
  }
}
