import { LRUCache } from 'lru-cache'
import type { ClaimedDelivery } from '../../shared/db/webhooks/daemon/claim-deliveries.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import { type AttemptUnderWay, SLOTS_PER_ENDPOINT, scarceBelow } from './allot-slots.ts'

/** What the slots work with. */
type Options = {
  /** Makes an attempt and records it; tells whether it was answered 2xx. Never throws. */
  readonly attempt: (delivery: ClaimedDelivery) => Promise<boolean>
  readonly clock: Clock
  /** Attempts under way at once, at all endpoints. */
  readonly concurrency: number
  /** Of a lease, what must be left when an attempt at what was held begins. */
  readonly leastLeaseMs: number
  /** Gives up leases under which nothing has begun, so that what is due is due for everybody. Never throws. */
  readonly release: (deliveries: readonly ClaimedDelivery[]) => Promise<void>
  /** Told how many attempts are under way whenever that changes. */
  readonly onCount: (underWay: number) => void
  /** Called when there may be room for more. */
  readonly onFree: () => void
}

/** Attempts under way, and what is held for the slots of quick endpoints. */
export type EndpointSlots = {
  readonly underWay: () => readonly AttemptUnderWay[]
  /** How many deliveries wait for a slot. */
  readonly held: () => number
  /** How many deliveries may be leased for an endpoint beyond its slots. */
  readonly roomAhead: (webhookId: string) => number
  /** Begins an attempt, or holds the delivery until one at its endpoint has ended. */
  readonly take: (delivery: ClaimedDelivery, isFailing: boolean) => void
  /** Lets go of what is held, begins nothing of it meanwhile, and resolves when nothing is under way. */
  readonly settle: () => Promise<void>
}

/** An endpoint whose last attempt was a success, within so long, gets more than it has slots for. */
const QUICK_MS = 500

/**
 * Held for one endpoint: enough that its slots are busy while the next are leased. What is held waits for its turn at
 * its own endpoint only; it is let go where that has become slow, or fails, and where slots have become scarce.
 */
const AHEAD_PER_ENDPOINT = 10

const MAX_KNOWN_QUICK = 10_000

/** Makes the slots; who may take how many is decided in `allotSlots`. */
export function createEndpointSlots(options: Options): EndpointSlots {
  const { clock, onCount } = options
  // Not by the deliveries' ids: one whose lease ran out may be claimed anew while its first attempt is under way.
  const running = new Set<AttemptUnderWay>()
  const counts = new Map<string, number>()
  const held = new Map<string, ClaimedDelivery[]>()
  const quick = new LRUCache<string, true>({ max: MAX_KNOWN_QUICK })
  const settled: (() => void)[] = []
  /** Somebody waits for the end: what is held is not begun any more. */
  let isSettling = false

  function take(delivery: ClaimedDelivery, isFailing: boolean): void {
    const { webhookId } = delivery
    if ((counts.get(webhookId) ?? 0) < SLOTS_PER_ENDPOINT) return start(delivery, isFailing)
    held.set(webhookId, [...(held.get(webhookId) ?? []), delivery])
  }

  function start(delivery: ClaimedDelivery, isFailing: boolean): void {
    const { webhookId } = delivery
    const underWay = { webhookId, isFailing }
    running.add(underWay)
    onCount(running.size)
    counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1)
    void run(delivery, underWay)
  }

  async function run(delivery: ClaimedDelivery, underWay: AttemptUnderWay): Promise<void> {
    const { webhookId } = delivery
    const startedAtMs = clock().getTime()
    const isSuccess = await options.attempt(delivery)
    const isQuick = isSuccess && clock().getTime() - startedAtMs < QUICK_MS
    if (isQuick) quick.set(webhookId, true)
    else quick.delete(webhookId)
    const next = await takeNext(webhookId, isQuick)
    running.delete(underWay)
    onCount(running.size)
    const left = (counts.get(webhookId) ?? 1) - 1
    if (left === 0) counts.delete(webhookId)
    else counts.set(webhookId, left)
    if (next !== undefined) start(next, false)
    if (!held.has(webhookId)) options.onFree()
    if (running.size > 0) return
    isSettling = false
    for (const done of settled.splice(0)) done()
  }

  /** What is held next. All that is held of the endpoint is let go if it may not go on, or if it has become too late. */
  async function takeNext(webhookId: string, isQuick: boolean): Promise<ClaimedDelivery | undefined> {
    const waiting = held.get(webhookId) ?? []
    const [next, ...rest] = waiting
    const leaseMs = (next?.lockedUntil.getTime() ?? 0) - clock().getTime()
    const isScarce = options.concurrency - running.size < scarceBelow(options.concurrency)
    if (isQuick && !isScarce && !isSettling && leaseMs >= options.leastLeaseMs) {
      if (rest.length > 0) held.set(webhookId, rest)
      else held.delete(webhookId)
      return next
    }
    held.delete(webhookId)
    if (waiting.length > 0) await options.release(waiting)
    return undefined
  }

  async function settle(): Promise<void> {
    if (running.size === 0) return
    isSettling = true
    const ended = new Promise<void>((resolve) => settled.push(resolve))
    const waiting = [...held.values()].flat()
    held.clear()
    if (waiting.length > 0) await options.release(waiting)
    await ended
  }

  return {
    underWay: () => [...running],
    held: () => [...held.values()].reduce((sum, waiting) => sum + waiting.length, 0),
    roomAhead: (webhookId) => (quick.has(webhookId) && !held.has(webhookId) ? AHEAD_PER_ENDPOINT : 0),
    take,
    settle,
  }
}
