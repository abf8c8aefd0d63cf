import type { Throttle } from './pacing.ts'

/** Pause after a demand without a duration. Each further demand doubles the pause, up to a minute. */
const FIRST_PAUSE_MS = 1_000
const MAX_OWN_PAUSE_MS = 60_000
/** Maximum pause that a node can demand. */
const MAX_ASKED_PAUSE_MS = 3_600_000

/**
 * Creates the record of a node's pause. The pause lasts as long as the node demands, up to an hour. Afterwards one
 * request is sent first; the others wait until this request ends without another demand. The end of a request that was
 * sent before the pause does not count.
 */
export function createPause() {
  let untilMs = Number.NEGATIVE_INFINITY
  let demands = 0
  let isProbing = false

  return {
    note: (throttle: Throttle | null, { nowMs, sentAtMs }: { nowMs: number; sentAtMs: number }) => {
      if (throttle !== null) demand(throttle, nowMs)
      else if (sentAtMs >= untilMs) {
        demands = 0
        isProbing = false
      }
    },
    /**
     * Returns the time from which requests may be sent; infinity while the first request after a pause is in flight.
     */
    getReadyAtMs: (nowMs: number, sent: number) =>
      isProbing && nowMs >= untilMs && sent > 0 ? Number.POSITIVE_INFINITY : Math.max(nowMs, untilMs),
    getLeftMs: (nowMs: number) => Math.max(0, untilMs - nowMs),
  }

  function demand({ retryAfterMs }: Throttle, nowMs: number): void {
    // The node rejects all requests in flight, so rejections during a pause do not count as further demands.
    if (nowMs >= untilMs) demands += 1
    const ownMs = Math.min(MAX_OWN_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(demands - 1, 10))
    const asked = retryAfterMs !== null && retryAfterMs > 0 ? retryAfterMs : ownMs
    untilMs = Math.max(untilMs, nowMs + Math.min(asked, MAX_ASKED_PAUSE_MS))
    isProbing = true
  }
}
