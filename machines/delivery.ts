import { assertEvent, setup } from 'xstate'

/** The facts about the delivery of one event to one endpoint. */
export type DeliveryFact =
  /** The endpoint responded with 2xx. */
  | { readonly type: 'attempt.succeeded' }
  /** The endpoint sent another response or none; `isLast` if the retry schedule is exhausted. */
  | { readonly type: 'attempt.failed'; readonly isLast: boolean }
  /** The merchant requested a resend. */
  | { readonly type: 'retry.requested' }

const deliverySetup = setup({
  types: { context: {} as Record<string, never>, events: {} as DeliveryFact },
  actions: {
    /** Columns: the next attempt by the retry schedule. */
    scheduleNext: () => undefined,
    /** Columns: a new cycle of attempts, whose first attempt is due immediately. */
    startCycle: () => undefined,
    /** Columns: delivered now; no further attempts. */
    noteDelivered: () => undefined,
    /** Columns: failed now; no further attempts. */
    noteFailed: () => undefined,
    /** Effect: append `webhook.delivery_failed`, unless the delivered event is about webhooks (decisions 6.7). */
    announceFailed: () => undefined,
  },
  guards: {
    isLast: ({ event }) => {
      assertEvent(event, 'attempt.failed')
      return event.isLast
    },
  },
})

const again = { target: 'pending', actions: 'startCycle' } as const

/**
 * The states of a delivery: `pending → delivered`; `pending → failed` after the last attempt of the retry schedule (the
 * fifth by default). A manual retry returns the delivery to `pending` from any state.
 *
 * `delivered` means that the endpoint responded with 2xx, perhaps after it received the event more than once. When a
 * webhook is deleted, the SQL function `fail_deliveries` fails its pending deliveries in bulk and without an event.
 */
export const deliveryMachine = deliverySetup.createMachine({
  id: 'delivery',
  context: {},
  initial: 'pending',
  states: {
    pending: {
      on: {
        'attempt.succeeded': { target: 'delivered', actions: 'noteDelivered' },
        'attempt.failed': [
          { guard: 'isLast', target: 'failed', actions: ['noteFailed', 'announceFailed'] },
          { actions: 'scheduleNext' },
        ],
        'retry.requested': again,
      },
    },
    delivered: { on: { 'retry.requested': again } },
    failed: { on: { 'retry.requested': again } },
  },
})
