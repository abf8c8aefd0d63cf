import type { DueEndpoint } from '../../shared/db/webhooks/daemon/deliveries.ts'

/** An attempt under way, and whether its endpoint was failing when it was claimed. */
export type AttemptUnderWay = { readonly webhookId: string; readonly isFailing: boolean }

/** An endpoint to which something is due, and how many attempts at it are under way. */
export type WaitingEndpoint = Pick<DueEndpoint, 'webhookId' | 'isFailing'> & { readonly underWay: number }

/** How many attempts may begin now. */
export type Capacity = {
  /** Slots that nobody uses. */
  readonly free: number
  /** Of these, how many may go to endpoints that fail: they have at most half of all. */
  readonly freeForFailing: number
  /** Slots of one endpoint. */
  readonly perEndpoint: number
  /** With fewer free than so many, nothing waits at one endpoint for a slot that another might need. */
  readonly scarceBelow: number
}

/** What an endpoint may claim. */
export type Allotment = { readonly webhookId: string; readonly slots: number }

/** What a turn claims, and the endpoint after which the next one looks on. */
export type TurnAllotment = { readonly claims: readonly Allotment[]; readonly lastServed: string }

/** How many deliveries may be leased beyond the slots, in all and of an endpoint. */
export type Ahead = { readonly free: number; readonly of: (webhookId: string) => number }

/** Attempts of one daemon under way at one endpoint: enough for 100 a second at 50 ms each, no flood. */
export const SLOTS_PER_ENDPOINT = 5

/** A dead endpoint costs the full timeout each time, so it gets one try at a time. */
const SLOTS_OF_FAILING = 1

/** Answers what may begin beside what is under way, when there are `concurrency` slots in all. */
export function capacityBeside(underWay: readonly AttemptUnderWay[], concurrency: number): Capacity {
  const free = concurrency - underWay.length
  const failing = underWay.filter(({ isFailing }) => isFailing).length
  return {
    free,
    freeForFailing: Math.floor(concurrency / 2) - failing,
    // When slots become scarce, endpoints that are merely slow keep one each as well.
    perEndpoint: free > concurrency / 2 ? SLOTS_PER_ENDPOINT : 1,
    scarceBelow: scarceBelow(concurrency),
  }
}

/**
 * Answers the number of free slots below which they are scarce: a quarter of all. So many remain for who comes while what is
 * held begins; at half, twenty quick endpoints and one that is silent would have nothing leased ahead of 200 slots.
 */
export function scarceBelow(concurrency: number): number {
  return concurrency / 4
}

/** Answers the endpoints with the number of attempts under way at each. */
export function countUnderWay(
  endpoints: readonly DueEndpoint[],
  underWay: readonly AttemptUnderWay[],
): readonly WaitingEndpoint[] {
  const counts = new Map<string, number>()
  for (const { webhookId } of underWay) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1)
  return endpoints.map((endpoint) => ({ ...endpoint, underWay: counts.get(endpoint.webhookId) ?? 0 }))
}

/**
 * Shares free slots among endpoints to which something is due: one each in their order, then a second each, and so on.
 *
 * Nobody's backlog can take what another needs: whoever comes first in the order has at most one slot more.
 */
export function allotSlots(endpoints: readonly WaitingEndpoint[], capacity: Capacity): readonly Allotment[] {
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
 * Answers what a turn claims: the slots it gives, and what it leases ahead.
 *
 * The next turn goes on after the last endpoint that was given a slot. One that only has more leased ahead may stand
 * far behind it, with endpoints between them that were given nothing.
 */
export function allotTurn(endpoints: readonly WaitingEndpoint[], room: Room): TurnAllotment {
  const slots = allotSlots(endpoints, room.capacity)
  const lastServed = slots.at(-1)?.webhookId ?? endpoints.at(-1)?.webhookId ?? ''
  return { claims: allotAhead(endpoints, slots, room), lastServed }
}

type Room = { readonly capacity: Capacity; readonly ahead: Ahead }

/**
 * Adds what may be leased ahead of endpoints that have all their slots: where slots are not scarce even after this turn
 * has given its own, so that nobody waits for what is held of others.
 */
export function allotAhead(
  endpoints: readonly WaitingEndpoint[],
  slots: readonly Allotment[],
  { capacity, ahead }: Room,
): readonly Allotment[] {
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
