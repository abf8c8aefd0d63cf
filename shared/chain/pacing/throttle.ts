import { BaseError } from 'viem'
import type { Throttle } from './pacing.ts'

/**
 * A request was not sent, because the node's budget had no room for it, the node had demanded a pause, or too many
 * requests were waiting. This does not mean that the node is down or faulty.
 */
export class NodeBudgetError extends BaseError {
  readonly reason: string

  constructor(reason: string) {
    super(`Request not sent: ${reason}.`, { name: 'NodeBudgetError' })
    this.reason = reason
  }
}

/**
 * The demands for fewer requests, by the failures that contained them. They are recorded here instead of being wrapped
 * in another error, so that Ponder and viem still recognize the failures.
 */
const THROTTLES = new WeakMap<object, Throttle>()

/** Marks a failure as the node's demand to send fewer requests. Returns the failure. */
export function markThrottle<Failure>(failure: Failure, throttle: Throttle | null): Failure {
  if (throttle !== null && typeof failure === 'object' && failure !== null) THROTTLES.set(failure, throttle)
  return failure
}

/**
 * Returns the demand that `markThrottle` recorded for a failure or for one of its nested causes; `null` if there is
 * none.
 */
export function findThrottle(failure: unknown): Throttle | null {
  for (let error = failure, depth = 0; error instanceof Error && depth < MAX_CAUSES; depth += 1) {
    const throttle = THROTTLES.get(error)
    if (throttle !== undefined) return throttle
    error = error.cause
  }
  return null
}

/** Maximum number of errors examined in a chain of causes. viem wraps a failure at most three times. */
const MAX_CAUSES = 8

/** Returns whether the node's pacer refused to send a request. */
export function isUnsent(failure: unknown): boolean {
  return failure instanceof BaseError && failure.walk((cause) => cause instanceof NodeBudgetError) !== null
}

/**
 * Returns whether a request failed only because of our budget or the node's own limit. Its node then counts as silent,
 * not as down.
 */
export function isOverBudget(failure: unknown): boolean {
  return isUnsent(failure) || findThrottle(failure) !== null
}
