import { LRUCache } from 'lru-cache'
import type { ClaimedDelivery } from '../../shared/db/webhooks/daemon/claim-deliveries.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import { getScarcityThreshold, type InFlightAttempt, SLOTS_PER_ENDPOINT } from './allocate-slots.ts'

type Options = {
  /** Makes an attempt and records it. Returns whether a 2xx response was recorded. Never throws. */
  readonly attempt: (delivery: ClaimedDelivery) => Promise<boolean>
  readonly clock: Clock
  /** Maximum attempts in flight, across all endpoints. */
  readonly concurrency: number
  /** Minimum remaining lease when the attempt of a held delivery starts. */
  readonly leastLeaseMs: number
  /** Releases the leases of deliveries that have not started, so that any daemon may claim them. Never throws. */
  readonly release: (deliveries: readonly ClaimedDelivery[]) => Promise<void>
  /** Called with the number of attempts in flight whenever it changes. */
  readonly onCount: (underWay: number) => void
  /** Called when more deliveries might fit. */
  readonly onFree: () => void
}

/**
 * Deliveries may be held for an endpoint only if the endpoint's last finished attempt succeeded and took less than this
 * time, including its recording.
 */
const QUICK_MS = 500

/**
 * Maximum deliveries held per endpoint, enough to keep the endpoint's slots busy while the next deliveries are leased.
 */
const AHEAD_PER_ENDPOINT = 10

const MAX_KNOWN_QUICK = 10_000

/**
 * Creates the slots, which track the attempts in flight and the deliveries that are held until a slot of their endpoint
 * is free. `allocateSlots` decides how many slots each endpoint gets.
 */
export function createEndpointSlots(options: Options) {
  const { clock, onCount } = options
  // Not keyed by delivery id, because a delivery whose lease expired may be claimed again while its first attempt is in
  // flight.
  const running = new Set<InFlightAttempt>()
  const counts = new Map<string, number>()
  const held = new Map<string, ClaimedDelivery[]>()
  const quick = new LRUCache<string, true>({ max: MAX_KNOWN_QUICK })
  const settled: (() => void)[] = []
  /** Whether a caller waits in `settle`. If so, held deliveries must not start. */
  let isSettling = false

  /** Starts an attempt, or holds the delivery if all slots of its endpoint are in use. */
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

  async function run(delivery: ClaimedDelivery, underWay: InFlightAttempt): Promise<void> {
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

  /**
   * Returns the endpoint's next held delivery, if any. If the last attempt was not quick, slots are scarce, a caller
   * waits in `settle`, or the lease is too short, releases all held deliveries of the endpoint instead.
   */
  async function takeNext(webhookId: string, isQuick: boolean): Promise<ClaimedDelivery | undefined> {
    const waiting = held.get(webhookId) ?? []
    const [next, ...rest] = waiting
    const leaseMs = (next?.leasedUntil.getTime() ?? 0) - clock().getTime()
    const isScarce = options.concurrency - running.size < getScarcityThreshold(options.concurrency)
    if (isQuick && !isScarce && !isSettling && leaseMs >= options.leastLeaseMs) {
      if (rest.length > 0) held.set(webhookId, rest)
      else held.delete(webhookId)
      return next
    }
    held.delete(webhookId)
    if (waiting.length > 0) await options.release(waiting)
    return undefined
  }

  /** Releases held deliveries without starting them, and resolves when no attempt is in flight. */
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
    /** Returns the number of held deliveries. */
    held: () => [...held.values()].reduce((sum, waiting) => sum + waiting.length, 0),
    /** Returns the number of deliveries that may be leased for an endpoint beyond its slots. */
    roomAhead: (webhookId: string) => (quick.has(webhookId) && !held.has(webhookId) ? AHEAD_PER_ENDPOINT : 0),
    take,
    settle,
  }
}
