import type { Clock } from '../../shared/runtime/clock.ts'

/** A block as the node answers it; only what the guard looks at. */
export type HeadAnswer = { readonly number: string }

/** How long every answer must be lower before a lower head is believed: a chain that really rolled back. */
const BELIEVE_LOWER_AFTER_MS = 30_000

/**
 * Keeps a lagging node behind a balancer from looking like a reorganization.
 *
 * A head below the highest one seen is answered with that highest one, which Ponder already has and passes over.
 * (Without this, a node one block behind caused 5 false reorganizations in 40 s.) A head of the same height and
 * another hash passes: that is a true reorganization. So does a lower one that stays for 30 s.
 */
export function createHeadGuard<Block extends HeadAnswer>(now: Clock) {
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
