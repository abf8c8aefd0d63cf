import { createDayCount } from './day-count.ts'
import { createDayLimit } from './day-limit.ts'
import type { EndRequest, NodePacer, Priority, RequestNeed, Throttle } from './pacing.ts'
import { createPause } from './pause.ts'
import { createRateLimit } from './rate-limit.ts'
import { NodeBudgetError } from './throttle.ts'
import { createWaitingRequests, type WaitingRequest } from './waiting-requests.ts'

/** Requests that this process may send to one node; `null` means any number. */
export type NodeBudget = { readonly perSecond: number | null; readonly perDay: number | null }

export type Timers = {
  readonly nowMs: () => number
  /** Runs a function later. Returns a function that cancels it. */
  readonly after: (ms: number, run: () => void) => () => void
}

/** Counts since the process started, unless a field says otherwise. */
export type NodeUsage = {
  readonly sent: Readonly<Record<Priority, number>>
  /** Requests that the pacer refused (see `NodeBudgetError`). */
  readonly refused: Readonly<Record<Priority, number>>
  /** Responses in which the node demanded fewer requests. */
  readonly throttled: number
  /** Requests that are waiting now. */
  readonly waiting: number
  /** Remaining time of the pause that the node demanded. */
  readonly pausedMs: number
  /** Requests that were sent in the current hour and the 24 hours before it. */
  readonly sentInDay: number
}

export type MeasuredPacer = NodePacer & {
  readonly getDelayMs: () => number
  readonly getUsage: () => NodeUsage
}

/** Maximum reported delay, because messages between processes cannot contain infinity. */
const MAX_DELAY_MS = 60_000

/** Creates the pacer of one node. Without a budget, requests are delayed only if the node demands a pause. */
export function createNodePacer(
  { perSecond, perDay }: NodeBudget,
  { nowMs, after }: Timers = SYSTEM_TIMERS,
): MeasuredPacer {
  const rate = perSecond === null ? null : createRateLimit(perSecond)
  const day = perDay === null ? null : createDayLimit(perDay, nowMs())
  const pause = createPause()
  const waiting = createWaitingRequests()
  const sentInDay = createDayCount()
  const counts = { sent: zeroes(), refused: zeroes(), throttled: 0 }
  let unanswered = 0
  let cancelTimer = (): void => undefined

  return {
    acquire,
    getDelayMs: () => Math.min(MAX_DELAY_MS, getReadyAtMs('payment') - nowMs()),
    getUsage: () => ({
      ...{ sent: { ...counts.sent }, refused: { ...counts.refused }, throttled: counts.throttled },
      ...{ waiting: waiting.count(), pausedMs: pause.getLeftMs(nowMs()) },
      sentInDay: sentInDay.count(nowMs()),
    }),
  }

  function acquire({ priority, maxWaitMs }: RequestNeed): Promise<EndRequest> {
    return new Promise((resolve, reject) => {
      const refuse = (reason: string) => {
        counts.refused[priority] += 1
        reject(new NodeBudgetError(reason))
      }
      if (pause.getLeftMs(nowMs()) > maxWaitMs) return refuse('the node demanded a pause')
      const deadlineMs = nowMs() + maxWaitMs
      waiting.add({ priority, deadlineMs, grant: () => resolve(start(priority)), refuse })
      sendWaiting()
    })
  }

  function start(priority: Priority): EndRequest {
    counts.sent[priority] += 1
    unanswered += 1
    const endSlot = rate?.start(nowMs())
    day?.take(nowMs())
    sentInDay.add(nowMs())
    const sentAtMs = nowMs()
    let hasEnded = false
    return (throttle) => {
      if (hasEnded) return
      hasEnded = true
      endSlot?.(nowMs())
      end(throttle, sentAtMs)
    }
  }

  function end(throttle: Throttle | null, sentAtMs: number): void {
    unanswered -= 1
    pause.note(throttle, { nowMs: nowMs(), sentAtMs })
    if (throttle !== null) counts.throttled += 1
    sendWaiting()
  }

  function sendWaiting(): void {
    let next = waiting.find()
    while (next !== null && getReadyAt(next) <= nowMs()) {
      waiting.take(next)
      next = waiting.find()
    }
    waiting.refuseLate(nowMs())
    wakeFor(waiting.find())
  }

  function wakeFor(next: WaitingRequest | null): void {
    cancelTimer()
    if (next === null) return
    const atMs = Math.min(getReadyAt(next), waiting.getDeadlineMs())
    cancelTimer = after(Math.max(1, Math.ceil(atMs - nowMs())), sendWaiting)
  }

  /**
   * Returns the time from which a waiting request may be sent. In its fair turn (see `FAIR_TURN`), it may also use the
   * part of the burst that is reserved for more urgent requests.
   */
  function getReadyAt({ priority }: WaitingRequest): number {
    return getReadyAtMs(waiting.isFairTurn() ? 'payment' : priority)
  }

  function getReadyAtMs(priority: Priority): number {
    const now = nowMs()
    return Math.max(
      pause.getReadyAtMs(now, unanswered),
      rate?.getReadyAtMs(now) ?? now,
      day?.getReadyAtMs(now, priority) ?? now,
    )
  }
}

const SYSTEM_TIMERS: Timers = {
  nowMs: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

function zeroes(): Record<Priority, number> {
  return { payment: 0, confirmation: 0, background: 0 }
}
