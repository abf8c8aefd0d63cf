import { BaseError } from 'viem'
import type { Throttle } from './pacing.ts'

/**
 * Thrown if a request is not sent because the node's budget has no room, the node has demanded a pause, or too many
 * requests are waiting. The error does not mean that the node is down or faulty.
 */
export class NodeBudgetError extends BaseError {
  readonly reason: string

  constructor(reason: string) {
    super(`Request not sent: ${reason}.`, { name: 'NodeBudgetError' })
    this.reason = reason
  }
}

/**
 * The demand that each failure contained. A map is used because a wrapper error would hide the failure from Ponder and
 * viem.
 */
const THROTTLES = new WeakMap<object, Throttle>()

/** Records a node's demand to send fewer requests for the failure that contained it. Returns the failure. */
export function markThrottle<Failure>(failure: Failure, throttle: Throttle | null): Failure {
  if (throttle !== null && typeof failure === 'object' && failure !== null) THROTTLES.set(failure, throttle)
  return failure
}

/** Returns the demand that `markThrottle` recorded for a failure or one of its causes; `null` if there is none. */
export function findThrottle(failure: unknown): Throttle | null {
  for (let error = failure, depth = 0; error instanceof Error && depth < MAX_CAUSES; depth += 1) {
    const throttle = THROTTLES.get(error)
    if (throttle !== undefined) return throttle
    error = error.cause
  }
  return null
}

/** Maximum examined errors in a chain of causes. viem wraps a failure at most three times. */
const MAX_CAUSES = 8

/** Returns whether the node's pacer refused to send a request. */
export function isUnsent(failure: unknown): boolean {
  return failure instanceof BaseError && failure.walk((cause) => cause instanceof NodeBudgetError) !== null
}

/**
 * Returns whether a request failed only because of our budget or the node's limit. The node then counts as silent, not
 * as down.
 */
export function isOverBudget(failure: unknown): boolean {
  return isUnsent(failure) || findThrottle(failure) !== null
}
