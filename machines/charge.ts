import { and, assertEvent, assign, not, or, setup, stateIn } from 'xstate'
import { isOverpaid } from '../shared/domain/charge.ts'
import { type AttoDollars, atto } from '../shared/domain/money.ts'

/** The amounts that the machine tracks, in 10⁻¹⁸ dollars, and whether the overpayment was announced. */
export interface ChargeContext {
  readonly targetAtto: AttoDollars
  /** All credits, including late credits: the charge's `amountReceived`. */
  readonly receivedAtto: AttoDollars
  /** The credits mined before `expiresAt`. Later credits never change the status (decisions 3.5). */
  readonly onTimeAtto: AttoDollars
  /** Whether `charge.overpaid` was appended before a strike. The event occurs only once (decisions 3.7, 9.2). */
  readonly isOverpaidAnnounced: boolean
}

/** The facts that a charge's actor receives. */
export type ChargeFact =
  | { readonly type: 'transfer.credited'; readonly amountAtto: AttoDollars; readonly onTime: boolean }
  /** An operator struck a credit that every node denies (decisions 9.2). The total decreases, but no status changes. */
  | { readonly type: 'transfer.struck'; readonly amountAtto: AttoDollars; readonly onTime: boolean }
  /** An operator struck a row that is not a credit. The ledgers have changed, so the settlement may be complete. */
  | { readonly type: 'row.struck' }
  /** Every accepted network has passed `expiresAt` at confirmation depth (decisions 3.4). */
  | { readonly type: 'deadline.passed' }
  /** The late amount owed on a pair of an expired charge has reached the minimum payout. */
  | { readonly type: 'late_funds.due' }
  /**
   * On every pair, the indexed distributions at confirmation depth cover the credits that decide the settlement, and no
   * share of the merchant is held.
   */
  | { readonly type: 'payouts.completed' }
  /** The last automatic attempt at a payout that the settlement needs has failed. */
  | { readonly type: 'payouts.failed' }
  /**
   * The escrow has ended, by an order through the API or by the releaser's own transaction on chain (`findEscrowEnd`).
   */
  | { readonly type: 'escrow.released'; readonly byEndpoint: boolean }
  | { readonly type: 'escrow.refunded'; readonly byEndpoint: boolean }
  /**
   * Money from the Safe has reached the split and must be paid out. This can happen before the escrow ends, in a
   * refund, and after a release or a refund.
   */
  | { readonly type: 'split.reached' }

/** Raised by the status and escrow regions for the settlement region: credited money may now be payable. */
type FundsPayable = { readonly type: 'funds.payable' }

/** The public events that a charge's actor appends. */
export type ChargeEventType =
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
    /** Effect: append this event, with the charge's values after the whole transition. */
    appendEvent: (_, _params: { type: ChargeEventType }) => undefined,
    /** Effect: open a payout for every pair in which the split was paid. Reopen an existing one that owes an amount. */
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
    strike: assign(({ context, event }) => {
      assertEvent(event, 'transfer.struck')
      return {
        receivedAtto: (context.receivedAtto - event.amountAtto) as AttoDollars,
        onTimeAtto: (event.onTime
          ? context.onTimeAtto - event.amountAtto
          : context.onTimeAtto) as AttoDollars,
        isOverpaidAnnounced: context.isOverpaidAnnounced || isOverpaid(context),
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
    /** True for the one credit that first raises the total above the target (decisions 3.7). */
    exceedsTargetNow: ({ context, event }) => {
      assertEvent(event, 'transfer.credited')
      const { receivedAtto, targetAtto } = context
      const after = atto(receivedAtto + event.amountAtto)
      if (context.isOverpaidAnnounced || isOverpaid({ receivedAtto, targetAtto })) return false
      return isOverpaid({ receivedAtto: after, targetAtto })
    },
    hasReceived: ({ context }) => context.receivedAtto > 0n,
    isByEndpoint: ({ event }) => {
      assertEvent(event, ['escrow.released', 'escrow.refunded'])
      return event.byEndpoint
    },
    /** The money of an escrow is in the Safe and becomes payable only by a release (decisions 3.6). */
    isPayable: or([stateIn({ escrow: 'none' }), stateIn({ escrow: 'released' })]),
    isExpired: stateIn({ status: 'expired' }),
  },
})

const append = (type: ChargeEventType) => ({ type: 'appendEvent', params: { type } }) as const
const fundsPayable = chargeSetup.raise({ type: 'funds.payable' })

const credit = chargeSetup.enqueueActions(({ enqueue, check }) => {
  if (check('exceedsTargetNow')) {
    enqueue(append('charge.overpaid'))
  }
  enqueue('credit')
})

/**
 * A charge with a final status still accepts credits, which are paid out, but its status never changes (decisions 3.5).
 */
const final = chargeSetup.createStateConfig({
  on: { 'transfer.credited': { actions: [credit, fundsPayable] } },
})

/**
 * The states of a charge, in three regions.
 *
 * status: `pending → partially_paid → confirmed`; `pending → confirmed | expired`; `partially_paid → underpaid`.
 * `confirmed` means that the full amount was paid in time. `confirmed`, `expired` and `underpaid` are final.
 *
 * settlement: `none → pending → completed | failed`; `failed → completed`. `completed` means that the merchant's wallet
 * has received the funds that made the charge `confirmed` or `underpaid`. Late funds do not change it. All funds of an
 * expired charge are late. Its settlement becomes `pending` only if they are worth a payout.
 *
 * escrow: `none` for a normal charge; otherwise `held → released | refunded`, once. Funds that reach the split are paid
 * out in every state. After a release, only the funds in the split settle; after a refund there is no settlement.
 *
 * The host sends `deadline.passed` once every accepted chain has passed `expiresAt` and the balances match
 * (`shared/db/charges/daemon/charge-expiry.ts`).
 */
export const chargeMachine = chargeSetup.createMachine({
  id: 'charge',
  type: 'parallel',
  context: ({ input }) => input,
  states: {
    status: {
      initial: 'pending',
      on: { 'transfer.struck': { actions: 'strike' } },
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
                guard: 'hasReceived', // All received money is late, so the status is still `expired`.
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
            // The funds of an expired charge might be dust, which is paid out only when it is worth the gas.
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
