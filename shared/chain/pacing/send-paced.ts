import type { Pacing } from './pacing.ts'
import { findThrottle } from './throttle.ts'

/**
 * Sends one request when the node's pacer allows it.
 *
 * @throws {NodeBudgetError} if the request cannot be sent before its deadline; also any error of `send`
 */
export async function sendPaced<Answer>(
  { pacer, priority }: Pacing,
  { maxWaitMs, send }: { readonly maxWaitMs: number; readonly send: () => Promise<Answer> },
): Promise<Answer> {
  const end = await pacer.acquire({ priority, maxWaitMs })
  try {
    const answer = await send()
    end(null)
    return answer
  } catch (error) {
    end(findThrottle(error))
    throw error
  }
}
