import { LRUCache } from 'lru-cache'
import type { ClaimedDelivery } from '../../shared/db/webhooks/daemon/claim-deliveries.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import { type AttemptUnderWay, SLOTS_PER_ENDPOINT } from './allot-slots.ts'

/** What the slots work with. */
type Options = {
  /** Makes an attempt and records it; tells whether it was answered 2xx. Never throws. */
  readonly attempt: (delivery: ClaimedDelivery) => Promise<boolean>
  readonly clock: Clock
  /** Of a lease, what must be left when an attempt begins, for its record to come in time. */
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
  readonly settle: () => Promise<void>
}

/** An endpoint whose last attempt was a success, within so long, gets more than it has slots for. */
const QUICK_MS = 500

/**
 * Held for one endpoint: enough that its slots are busy while the next are leased. What is held waits for its turn at
 * its own endpoint only; it is let go where that has become slow, or fails.
 */
const AHEAD_PER_ENDPOINT = 10

const MAX_KNOWN_QUICK = 10_000

/** Makes the slots; who may take how many is decided in `allotSlots`. */
export function createEndpointSlots(options: Options): EndpointSlots {
  const { clock, onCount } = options
  const running = new Map<number, AttemptUnderWay>()
  const counts = new Map<string, number>()
  const held = new Map<string, ClaimedDelivery[]>()
  const quick = new LRUCache<string, true>({ max: MAX_KNOWN_QUICK })
  const settled: (() => void)[] = []

  function take(delivery: ClaimedDelivery, isFailing: boolean): void {
    const { webhookId } = delivery
    if ((counts.get(webhookId) ?? 0) < SLOTS_PER_ENDPOINT) return start(delivery, isFailing)
    held.set(webhookId, [...(held.get(webhookId) ?? []), delivery])
  }

  function start(delivery: ClaimedDelivery, isFailing: boolean): void {
    const { id, webhookId } = delivery
    running.set(id, { webhookId, isFailing })
    onCount(running.size)
    counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1)
    void run(delivery)
  }

  async function run(delivery: ClaimedDelivery): Promise<void> {
    const { id, webhookId } = delivery
    const startedAtMs = clock().getTime()
    const isSuccess = await options.attempt(delivery)
    if (isSuccess && clock().getTime() - startedAtMs < QUICK_MS) quick.set(webhookId, true)
    else quick.delete(webhookId)
    const next = await takeNext(webhookId, isSuccess)
    running.delete(id)
    onCount(running.size)
    const left = (counts.get(webhookId) ?? 1) - 1
    if (left === 0) counts.delete(webhookId)
    else counts.set(webhookId, left)
    if (next !== undefined) start(next, false)
    if (!held.has(webhookId)) options.onFree()
    if (running.size === 0) for (const done of settled.splice(0)) done()
  }

  /** What is held next; all that is held of an endpoint that fails, or for which it has become too late, is let go. */
  async function takeNext(webhookId: string, isSuccess: boolean): Promise<ClaimedDelivery | undefined> {
    const waiting = held.get(webhookId) ?? []
    const [next, ...rest] = waiting
    const leaseMs = (next?.lockedUntil.getTime() ?? 0) - clock().getTime()
    if (isSuccess && leaseMs >= options.leastLeaseMs) {
      if (rest.length > 0) held.set(webhookId, rest)
      else held.delete(webhookId)
      return next
    }
    held.delete(webhookId)
    if (waiting.length > 0) await options.release(waiting)
    return undefined
  }

  return {
    underWay: () => [...running.values()],
    held: () => [...held.values()].reduce((sum, waiting) => sum + waiting.length, 0),
    roomAhead: (webhookId) => (quick.has(webhookId) && !held.has(webhookId) ? AHEAD_PER_ENDPOINT : 0),
    take,
    settle: async () => {
      if (running.size > 0) await new Promise<void>((resolve) => settled.push(resolve))
    },
  }
}
