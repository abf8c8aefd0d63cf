import type { DueEndpoint } from '../../shared/db/webhooks/daemon/deliveries.ts'

/** An attempt in flight, and whether its endpoint was failing when the delivery was claimed. */
export type InFlightAttempt = { readonly webhookId: string; readonly isFailing: boolean }

/** An endpoint with due deliveries, and its number of attempts in flight. */
export type WaitingEndpoint = Pick<DueEndpoint, 'webhookId' | 'isFailing'> & { readonly underWay: number }

export type Capacity = {
  readonly free: number
  /** Maximum further slots for failing endpoints, which get at most half of all slots. */
  readonly freeForFailing: number
  readonly perEndpoint: number
  /** Number of free slots below which no delivery is leased ahead, because other endpoints might need the slots. */
  readonly scarceBelow: number
}

/** Number of deliveries to claim for an endpoint. */
export type SlotAllocation = { readonly webhookId: string; readonly slots: number }

/** The claims of a turn, and the endpoint after which the next turn continues. */
export type TurnAllocation = { readonly claims: readonly SlotAllocation[]; readonly lastServed: string }

/** Maximum deliveries leased ahead, which wait for a slot of their endpoint: in total, and per endpoint. */
export type PrefetchLimits = { readonly free: number; readonly of: (webhookId: string) => number }

/**
 * Maximum attempts in flight per daemon and endpoint. At 50 ms each, this allows 100 attempts a second, without
 * flooding the endpoint.
 */
export const SLOTS_PER_ENDPOINT = 5

/** Maximum attempts in flight to a failing endpoint, because each attempt to a dead endpoint takes the full timeout. */
const SLOTS_OF_FAILING = 1

export function getFreeCapacity(underWay: readonly InFlightAttempt[], concurrency: number): Capacity {
  const free = concurrency - underWay.length
  const failing = underWay.filter(({ isFailing }) => isFailing).length
  return {
    free,
    freeForFailing: Math.floor(concurrency / 2) - failing,
    // When at least half of the slots are in use, each endpoint gets only one slot.
    perEndpoint: free > concurrency / 2 ? SLOTS_PER_ENDPOINT : 1,
    scarceBelow: getScarcityThreshold(concurrency),
  }
}

/**
 * Returns the number of free slots below which slots are scarce: a quarter of all.
 *
 * The reserve is for endpoints whose deliveries become due while deliveries leased ahead start. With a threshold of
 * half of 200 slots, twenty quick endpoints and one silent endpoint would make slots scarce, and no delivery would be
 * leased ahead.
 */
export function getScarcityThreshold(concurrency: number): number {
  return concurrency / 4
}

export function countInFlight(
  endpoints: readonly DueEndpoint[],
  underWay: readonly InFlightAttempt[],
): readonly WaitingEndpoint[] {
  const counts = new Map<string, number>()
  for (const { webhookId } of underWay) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1)
  return endpoints.map((endpoint) => ({ ...endpoint, underWay: counts.get(endpoint.webhookId) ?? 0 }))
}

/**
 * Distributes free slots among endpoints with due deliveries: one each in the given order, then a second each, and so
 * on.
 *
 * The backlog of one endpoint therefore cannot starve the others.
 */
export function allocateSlots(
  endpoints: readonly WaitingEndpoint[],
  capacity: Capacity,
): readonly SlotAllocation[] {
  const takers = endpoints.map((endpoint) => ({ endpoint, slots: 0 }))
  let { free, freeForFailing } = capacity
  for (let round = 1; round <= capacity.perEndpoint && free > 0; round += 1) {
    for (const taker of takers) {
      const { isFailing, underWay } = taker.endpoint
      const most = isFailing ? Math.min(SLOTS_OF_FAILING, capacity.perEndpoint) : capacity.perEndpoint
      if (free === 0 || underWay + taker.slots >= most || (isFailing && freeForFailing <= 0)) continue
      taker.slots += 1
      free -= 1
      if (isFailing) freeForFailing -= 1
    }
  }
  return takers
    .filter(({ slots }) => slots > 0)
    .map(({ endpoint, slots }) => ({ webhookId: endpoint.webhookId, slots }))
}

/**
 * Returns the claims of a turn: the allotted slots, and deliveries leased ahead.
 *
 * The next turn continues after the last endpoint that got a slot, or after the last of all if none did. An endpoint
 * that only got deliveries leased ahead does not count, because endpoints before it might have got no slot.
 */
export function allocateTurn(endpoints: readonly WaitingEndpoint[], room: Room): TurnAllocation {
  const slots = allocateSlots(endpoints, room.capacity)
  const lastServed = slots.at(-1)?.webhookId ?? endpoints.at(-1)?.webhookId ?? ''
  return { claims: allocatePrefetch(endpoints, slots, room), lastServed }
}

type Room = { readonly capacity: Capacity; readonly ahead: PrefetchLimits }

/**
 * Adds deliveries leased ahead for endpoints that are not failing and whose slots are all in use. Adds none if at least
 * half of all slots were in use before this turn's allotment, or if slots are scarce after it, because deliveries
 * leased ahead must not delay other endpoints.
 */
export function allocatePrefetch(
  endpoints: readonly WaitingEndpoint[],
  slots: readonly SlotAllocation[],
  { capacity, ahead }: Room,
): readonly SlotAllocation[] {
  const freeAfter = capacity.free - slots.reduce((sum, one) => sum + one.slots, 0)
  if (capacity.perEndpoint < SLOTS_PER_ENDPOINT || freeAfter < capacity.scarceBelow) return slots
  const given = new Map(slots.map((one) => [one.webhookId, one.slots]))
  let { free } = ahead
  return endpoints.flatMap(({ webhookId, isFailing, underWay }) => {
    const own = given.get(webhookId) ?? 0
    const isFull = !isFailing && underWay + own >= SLOTS_PER_ENDPOINT
    const more = isFull ? Math.min(free, ahead.of(webhookId)) : 0
    free -= more
    return own + more > 0 ? [{ webhookId, slots: own + more }] : []
  })
}
