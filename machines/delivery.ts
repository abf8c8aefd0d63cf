import { assertEvent, setup } from 'xstate'

/** What happens to the delivery of one event to one endpoint. */
export type DeliveryFact =
  /** The endpoint answered 2xx. */
  | { readonly type: 'attempt.succeeded' }
  /** Any other answer, or none; `isLast` when the five attempts of the cycle are used up. */
  | { readonly type: 'attempt.failed'; readonly isLast: boolean }
  /** The merchant wants it once more. */
  | { readonly type: 'retry.requested' }

const deliverySetup = setup({
  types: { context: {} as Record<string, never>, events: {} as DeliveryFact },
  actions: {
    /** Columns: the next attempt by the schedule. */
    scheduleNext: () => undefined,
    /** Columns: five new attempts, the first at once. */
    startCycle: () => undefined,
    /** Columns: delivered now, and no more attempts. */
    noteDelivered: () => undefined,
    /** Columns: failed now, and no more attempts. */
    noteFailed: () => undefined,
    /** Effect: append `webhook.delivery_failed`, unless the event is itself about webhooks (decisions 6.7). */
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
 * The life of a delivery: `pending → delivered`; `pending → failed` after the fifth attempt; a manual retry takes it
 * back to `pending` from anywhere.
 *
 * To the merchant `delivered` means that the endpoint answered 2xx once; it may have got the event more than once.
 * When a webhook is deleted, SQL (`close_deliveries`) ends what is pending of it, in bulk and without an event.
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
