import type { Priority } from './pacing.ts'

const DAY_MS = 86_400_000

/** Size of the burst as a fraction of the daily limit: the average requests of three minutes. */
const BURST = 1 / 480

/** Fraction of the burst that a priority leaves to more urgent requests. */
const LEFT_TO_OTHERS: Readonly<Record<Priority, number>> = { payment: 0, confirmation: 0.2, background: 0.5 }

/** Assumed maximum time between sending a request and its arrival at the node, which counts requests as they arrive. */
const MAX_ON_WAY_MS = 60_000

/**
 * Creates a limit on requests per day: a token bucket that spreads the requests over the day. The node receives at most
 * `perDay` requests in any 24 hours, whenever its day begins.
 *
 * The bucket is kept in memory and is full after a restart, so each restart allows another burst.
 */
export function createDayLimit(perDay: number, startMs: number) {
  const capacity = Math.max(1, perDay * BURST)
  const perMs = Math.max(0, perDay - capacity) / (DAY_MS + MAX_ON_WAY_MS)
  let tokens = capacity
  let filledAtMs = startMs

  return { take, getReadyAtMs }

  function fill(nowMs: number): void {
    tokens = Math.min(capacity, tokens + (nowMs - filledAtMs) * perMs)
    filledAtMs = nowMs
  }

  function take(nowMs: number): void {
    fill(nowMs)
    tokens -= 1
  }

  /** Returns the time from which a request of this priority may be sent. */
  function getReadyAtMs(nowMs: number, priority: Priority): number {
    fill(nowMs)
    const needed = Math.min(capacity, 1 + LEFT_TO_OTHERS[priority] * (capacity - 1))
    return tokens >= needed - ROUNDING ? nowMs : nowMs + Math.ceil((needed - tokens) / perMs)
  }
}

/** Tolerance, because sums of fractions are inexact. */
const ROUNDING = 1e-9
