import { and, assertEvent, setup, stateIn } from 'xstate'

/**
 * A delivery attempt has finished. The counts cover the endpoint's attempts in this hour and the 23 hours before it,
 * including this attempt.
 */
export type EndpointFact = {
  readonly type: 'attempt.finished'
  readonly succeeded: boolean
  readonly finished: number
  readonly failed: number
}

/** Minimum finished attempts for a meaningful ratio (decisions 6.7). */
export const MIN_ATTEMPTS = 5

/** The specification's 20 % ("Limits") as a fraction of integers, because no double is exactly 0.2. */
export const UNHEALTHY_ABOVE = { numerator: 1, denominator: 5 } as const

const healthSetup = setup({
  types: { context: {} as Record<string, never>, events: {} as EndpointFact },
  actions: {
    /** Effect: append `webhook.endpoint_unhealthy`. */
    announceUnhealthy: () => undefined,
    /** Effect: append `webhook.delivery_recovered`. */
    announceRecovered: () => undefined,
  },
  guards: {
    isAbove: ({ event }) => {
      assertEvent(event, 'attempt.finished')
      return event.finished >= MIN_ATTEMPTS && excess(event) > 0
    },
    /** At a ratio that equals the threshold, neither `isAbove` nor this guard is true. */
    isBelow: ({ event }) => {
      assertEvent(event, 'attempt.finished')
      return event.finished >= MIN_ATTEMPTS && excess(event) < 0
    },
    hasSucceeded: ({ event }) => {
      assertEvent(event, 'attempt.finished')
      return event.succeeded
    },
  },
})

/**
 * The health of an endpoint, in two regions.
 *
 * failureLevel: `low → high` appends `webhook.endpoint_unhealthy`, which is appended again only after `high → low`.
 *
 * recoveryNotice: becomes `pending` when failureLevel becomes `high`. The next success appends
 * `webhook.delivery_recovered` once.
 */
export const endpointHealthMachine = healthSetup.createMachine({
  id: 'endpointHealth',
  type: 'parallel',
  context: {},
  states: {
    failureLevel: {
      initial: 'low',
      states: {
        low: {
          on: { 'attempt.finished': { guard: 'isAbove', target: 'high', actions: 'announceUnhealthy' } },
        },
        high: { on: { 'attempt.finished': { guard: 'isBelow', target: 'low' } } },
      },
    },
    recoveryNotice: {
      initial: 'none',
      states: {
        // The attempt that crosses the threshold might be a success (the fifth of five). It is not a recovery.
        none: {
          on: {
            'attempt.finished': {
              guard: and([stateIn({ failureLevel: 'low' }), 'isAbove']),
              target: 'pending',
            },
          },
        },
        pending: {
          on: {
            'attempt.finished': [
              {
                // The ratio has risen above the threshold again at a success. This success is the recovery from the
                // previous `webhook.endpoint_unhealthy`. A notice stays pending for the new one.
                guard: and(['hasSucceeded', stateIn({ failureLevel: 'low' }), 'isAbove']),
                actions: 'announceRecovered',
              },
              { guard: 'hasSucceeded', target: 'none', actions: 'announceRecovered' },
            ],
          },
        },
      },
    },
  },
})

/** Returns a positive number if the failure ratio is above the threshold, and a negative number if it is below. */
function excess({ finished, failed }: EndpointFact): number {
  return failed * UNHEALTHY_ABOVE.denominator - finished * UNHEALTHY_ABOVE.numerator
}
