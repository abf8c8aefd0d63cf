import type { Priority } from './pacing.ts'

const DAY_MS = 86_400_000

/** Size of the burst as a part of the daily limit: the requests of three minutes. */
const BURST = 1 / 480

/** Part of the burst that a priority leaves to more urgent requests. */
const LEFT_TO_OTHERS: Readonly<Record<Priority, number>> = { payment: 0, confirmation: 0.2, background: 0.5 }

/**
 * Assumed maximum time that a request takes to reach the node. The node counts a request when it arrives, which is
 * after it was sent.
 */
const MAX_ON_WAY_MS = 60_000

/**
 * Creates a limit on requests per day, as a token bucket that spreads them over the day. No period of 24 hours has
 * more requests than the limit, regardless of when the node's day begins, and the limit is never used up before the end
 * of a day.
 *
 * After a restart the bucket is full (the requests of three minutes), because it is kept in memory.
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
