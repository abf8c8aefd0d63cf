import { PRIORITIES, type Priority } from './pacing.ts'

export type WaitingRequest = {
  readonly priority: Priority
  readonly deadlineMs: number
  readonly grant: () => void
  readonly refuse: (reason: string) => void
}

const MAX_WAITING = 500

/** Every eighth request comes from the priority that was served least recently, so that no priority waits forever. */
const FAIR_TURN = 8

/** Creates the bounded queue of requests that wait for one node, ordered by priority and then by age. */
export function createWaitingRequests() {
  let waiting: readonly WaitingRequest[] = []
  let taken = 0
  const lastTurns: Record<Priority, number> = { payment: 0, confirmation: 0, background: 0 }

  return { add, find, take, refuseLate, getDeadlineMs, isFairTurn, count: () => waiting.length }

  /**
   * Adds a request. If the queue is full, refuses the newest request of the lowest priority, possibly the added one.
   */
  function add(request: WaitingRequest): void {
    waiting = [...waiting, request]
    if (waiting.length <= MAX_WAITING) return
    const least = waiting.reduce((last, one) => (rank(one) >= rank(last) ? one : last))
    drop(least, `${MAX_WAITING} requests to the node are already waiting`)
  }

  function find(): WaitingRequest | null {
    const order = isFairTurn() ? ({ priority }: WaitingRequest) => lastTurns[priority] : rank
    return waiting.length === 0
      ? null
      : waiting.reduce((first, one) => (order(one) < order(first) ? one : first))
  }

  function take(request: WaitingRequest): void {
    taken += 1
    lastTurns[request.priority] = taken
    waiting = waiting.filter((one) => one !== request)
    request.grant()
  }

  function isFairTurn(): boolean {
    return taken % FAIR_TURN === FAIR_TURN - 1
  }

  /** Refuses the requests whose deadline is not after this time. */
  function refuseLate(nowMs: number): void {
    for (const one of waiting.filter(({ deadlineMs }) => deadlineMs <= nowMs))
      drop(one, "the node's budget had no room for the request before its deadline")
  }

  function getDeadlineMs(): number {
    return Math.min(...waiting.map(({ deadlineMs }) => deadlineMs))
  }

  function drop(request: WaitingRequest, reason: string): void {
    waiting = waiting.filter((one) => one !== request)
    request.refuse(reason)
  }
}

function rank({ priority }: WaitingRequest): number {
  return PRIORITIES.indexOf(priority)
}
