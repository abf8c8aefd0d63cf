import { and, assertEvent, assign, not, or, setup, stateIn } from 'xstate'
import { isOverpaid } from '../shared/domain/charge.ts'
import { type AttoDollars, atto } from '../shared/domain/money.ts'

/** What the machine remembers of the money, all in 10⁻¹⁸ dollars. The mode is in the state, never here. */
export interface ChargeContext {
  readonly targetAtto: AttoDollars
  /** Everything credited, late money included: the charge's `amountReceived`. */
  readonly receivedAtto: AttoDollars
  /** The part mined before `expiresAt`: only this moves the status (decisions 3.5). */
  readonly onTimeAtto: AttoDollars
}

/** The facts a charge's actor is told. */
export type ChargeFact =
  | { readonly type: 'transfer.credited'; readonly amountAtto: AttoDollars; readonly onTime: boolean }
  /** Every accepted network has passed `expiresAt` at confirmation depth (decisions 3.4). */
  | { readonly type: 'deadline.passed' }
  /** What an expired charge owes on a pair, all of it late, has reached the minimum payout. */
  | { readonly type: 'late_funds.due' }
  /** The indexed distributions cover the credits that decide the settlement, on every pair of theirs. */
  | { readonly type: 'payouts.completed' }
  /** The last automatic attempt at a payout that the settlement needs has failed. */
  | { readonly type: 'payouts.failed' }
  /** The escrow has ended: by an order of ours, or by what the releaser moved on chain (`findEscrowEnd`). */
  | { readonly type: 'escrow.released'; readonly byEndpoint: boolean }
  | { readonly type: 'escrow.refunded'; readonly byEndpoint: boolean }
  /** Money from the Safe is in the split, where it can only be paid out: before the end, by a refund, and after either. */
  | { readonly type: 'split.reached' }

/** Raised by the status and escrow regions, heard by settlement: credited money may now be paid out. */
type FundsPayable = { readonly type: 'funds.payable' }

/** The public events a charge's actor appends, in the specification's words. */
export type AppendedEvent =
  | 'charge.partially_paid'
  | 'charge.confirmed'
  | 'charge.overpaid'
  | 'charge.expired'
  | 'charge.underpaid'
  | 'charge.settled'
  | 'charge.settlement_failed'
  | 'charge.escrow_released'
  | 'charge.escrow_refunded'

const chargeSetup = setup({
  types: {
    context: {} as ChargeContext,
    input: {} as ChargeContext,
    events: {} as ChargeFact | FundsPayable,
  },
  actions: {
    /** Effect: append this event, with the charge as it stands after the whole transition. */
    appendEvent: (_, _params: { type: AppendedEvent }) => undefined,
    /** Effect: open, or re-open, the payout of every pair that owes something. */
    openPayouts: () => undefined,
    credit: assign(({ context, event }) => {
      assertEvent(event, 'transfer.credited')
      return {
        receivedAtto: (context.receivedAtto + event.amountAtto) as AttoDollars,
        onTimeAtto: (event.onTime
          ? context.onTimeAtto + event.amountAtto
          : context.onTimeAtto) as AttoDollars,
      }
    }),
  },
  guards: {
    isOnTime: ({ event }) => {
      assertEvent(event, 'transfer.credited')
      return event.onTime
    },
    reachesTarget: ({ context, event }) => {
      assertEvent(event, 'transfer.credited')
      return event.onTime && context.onTimeAtto + event.amountAtto >= context.targetAtto
    },
    /** True for the one credit that lifts the whole sum above the target (decisions 3.7). */
    exceedsTargetNow: ({ context, event }) => {
      assertEvent(event, 'transfer.credited')
      const { receivedAtto, targetAtto } = context
      const after = atto(receivedAtto + event.amountAtto)
      return !isOverpaid({ receivedAtto, targetAtto }) && isOverpaid({ receivedAtto: after, targetAtto })
    },
    hasReceived: ({ context }) => context.receivedAtto > 0n,
    isByEndpoint: ({ event }) => {
      assertEvent(event, ['escrow.released', 'escrow.refunded'])
      return event.byEndpoint
    },
    /** An escrow's money sits in the Safe: only a release makes it payable (decisions 3.6). */
    isPayable: or([stateIn({ escrow: 'none' }), stateIn({ escrow: 'released' })]),
    isExpired: stateIn({ status: 'expired' }),
  },
})

const append = (type: AppendedEvent) => ({ type: 'appendEvent', params: { type } }) as const
const fundsPayable = chargeSetup.raise({ type: 'funds.payable' })

/** Credits the transfer; announces `charge.overpaid` if it is the one that crosses the target. */
const credit = chargeSetup.enqueueActions(({ enqueue, check }) => {
  if (check('exceedsTargetNow')) {
    enqueue(append('charge.overpaid'))
  }
  enqueue('credit')
})

/** A final status takes money but never moves again (decisions 3.5); what comes late is paid out as well. */
const final = chargeSetup.createStateConfig({
  on: { 'transfer.credited': { actions: [credit, fundsPayable] } },
})

/**
 * The life of a charge.
 *
 * status: `pending → partially_paid → confirmed`; `pending → expired`; `partially_paid → underpaid`. To the merchant
 * `confirmed` means the money was detected deep enough; the three last are final.
 * settlement: `none → pending → completed | failed`; `failed → completed`. `completed` means the wallet has the funds
 * that made the charge `confirmed` or `underpaid`; it stays completed when late funds follow. Of an expired charge, on
 * which all funds are late, it is `pending` only when they are worth a payout.
 * escrow: `none` for a normal charge; else `held → released | refunded`, once. What reaches the split is paid out in every
 * state. Of a released one, what had reached the split by then settles; of a refunded one nothing does.
 *
 * Deadlines are rows, not timers: the host sends `deadline.passed`.
 */
export const chargeMachine = chargeSetup.createMachine({
  id: 'charge',
  type: 'parallel',
  context: ({ input }) => input,
  states: {
    status: {
      initial: 'pending',
      states: {
        pending: {
          on: {
            'transfer.credited': [
              {
                guard: 'reachesTarget',
                target: 'confirmed',
                actions: [append('charge.confirmed'), credit, fundsPayable],
              },
              {
                guard: 'isOnTime',
                target: 'partially_paid',
                actions: [append('charge.partially_paid'), credit],
              },
              { actions: credit },
            ],
            'deadline.passed': [
              {
                guard: 'hasReceived', // All of it late, so the status is still `expired`.
                target: 'expired',
                actions: [append('charge.expired'), fundsPayable],
              },
              { target: 'expired', actions: append('charge.expired') },
            ],
          },
        },
        partially_paid: {
          on: {
            'transfer.credited': [
              {
                guard: 'reachesTarget',
                target: 'confirmed',
                actions: [append('charge.confirmed'), credit, fundsPayable],
              },
              { actions: credit },
            ],
            'deadline.passed': { target: 'underpaid', actions: [append('charge.underpaid'), fundsPayable] },
          },
        },
        confirmed: final,
        expired: final,
        underpaid: final,
      },
    },
    settlement: {
      initial: 'none',
      on: {
        'funds.payable': { guard: 'isPayable', actions: 'openPayouts' },
        'split.reached': { actions: 'openPayouts' },
      },
      states: {
        none: {
          on: {
            // Of an expired charge it may be dust, which is paid out when it is worth its gas, if ever.
            'funds.payable': {
              guard: and(['isPayable', not('isExpired')]),
              target: 'pending',
              actions: 'openPayouts',
            },
            'late_funds.due': { guard: and(['isPayable', 'isExpired']), target: 'pending' },
          },
        },
        pending: {
          on: {
            'payouts.completed': { target: 'completed', actions: append('charge.settled') },
            'payouts.failed': { target: 'failed', actions: append('charge.settlement_failed') },
          },
        },
        completed: {},
        failed: {
          on: { 'payouts.completed': { target: 'completed', actions: append('charge.settled') } },
        },
      },
    },
    escrow: {
      initial: 'none',
      states: {
        none: {},
        held: {
          on: {
            'escrow.released': [
              {
                guard: 'isByEndpoint',
                target: 'released',
                actions: [append('charge.escrow_released'), fundsPayable],
              },
              { target: 'released', actions: fundsPayable }, // The releaser acted on chain (decisions 4.4).
            ],
            'escrow.refunded': [
              { guard: 'isByEndpoint', target: 'refunded', actions: append('charge.escrow_refunded') },
              { target: 'refunded' },
            ],
          },
        },
        released: {},
        refunded: {},
      },
    },
  },
})
