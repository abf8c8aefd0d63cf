import { assign, setup } from 'xstate'

/** The facts about a refund. Outside the sandbox, a quorum of nodes has agreed on each fact about a transfer. */
export type RefundFact =
  /** The payer gave an address. */
  | { readonly type: 'destination.claimed' }
  /** The merchant approved the payer's address. */
  | { readonly type: 'destination.approved' }
  /** The merchant rejected the payer's address. */
  | { readonly type: 'destination.rejected' }
  /** The transfer is in a block, but not at confirmation depth yet. */
  | { readonly type: 'transfer.seen' }
  /** The transfer that was seen is no longer on the chain. */
  | { readonly type: 'transfer.vanished' }
  /** The transfer is at confirmation depth. */
  | { readonly type: 'transfer.final' }
  /** The deadline of the refund has passed, by the database's clock. */
  | { readonly type: 'deadline.passed' }
  /** The merchant canceled the refund. */
  | { readonly type: 'cancel.ordered' }

/** How the refund ended before its transfer was seen; `null` if it had not ended. */
export interface RefundContext {
  readonly end: 'canceled' | 'expired' | null
}

const refundSetup = setup({
  types: { context: {} as RefundContext, events: {} as RefundFact },
  guards: {
    wasCanceled: ({ context }) => context.end === 'canceled',
    wasExpired: ({ context }) => context.end === 'expired',
  },
  actions: {
    /** Columns: the approved address, and the block after which a transfer to this address counts. */
    fixDestination: () => undefined,
    /** Columns: the transfer's transaction and block. */
    recordTransfer: () => undefined,
    /** Columns: no transfer. */
    clearTransfer: () => undefined,
    /** Columns: the time of the confirmation, and the part of the refund's amount that counts. */
    noteConfirmed: () => undefined,
    /** Columns: the time of the cancellation. */
    noteCanceled: () => undefined,
    /** Columns: the time of the expiry. */
    noteExpired: () => undefined,
    /** Effect: append `charge.refund_claimed`. */
    announceClaimed: () => undefined,
    /** Effect: append `charge.refund_approved`. */
    announceApproved: () => undefined,
    /** Effect: append `charge.refunded`, and write the accounting entries. */
    announceRefunded: () => undefined,
    /** Effect: append `charge.refund_expired`. */
    announceExpired: () => undefined,
  },
})

const seen = { target: 'seen', actions: 'recordTransfer' } as const

const paid = {
  target: 'confirmed',
  actions: ['recordTransfer', 'noteConfirmed', 'announceRefunded'],
} as const

const ends = {
  'deadline.passed': { target: 'expired', actions: ['noteExpired', 'announceExpired'] },
  'cancel.ordered': { target: 'canceled', actions: 'noteCanceled' },
} as const

/**
 * The states of a refund: `awaiting_destination → awaiting_approval → awaiting_payment → seen → confirmed`. A refund to
 * an address that the merchant names starts in `awaiting_payment`. A refund whose transfer was not seen ends when the
 * merchant cancels it or its deadline passes. A reorganization returns a `seen` refund to its previous state.
 *
 * After a claim, the payer can give a different address only if the merchant rejects the first one. Only the merchant's
 * approval makes the address the destination.
 *
 * A canceled or expired refund does not reserve its amount. If the merchant pays it nevertheless, it becomes `seen` and
 * reserves its amount, at most the remaining amount of the charge. At confirmation depth it becomes `confirmed`,
 * because the money has moved.
 *
 * No fact about a refund changes the status, the settlement or a payout of its charge.
 */
export const refundMachine = refundSetup.createMachine({
  id: 'refund',
  context: { end: null },
  initial: 'awaiting_destination',
  states: {
    awaiting_destination: {
      on: {
        'destination.claimed': { target: 'awaiting_approval', actions: 'announceClaimed' },
        ...ends,
      },
    },
    awaiting_approval: {
      on: {
        'destination.approved': {
          target: 'awaiting_payment',
          actions: ['fixDestination', 'announceApproved'],
        },
        'destination.rejected': { target: 'awaiting_destination' },
        ...ends,
      },
    },
    awaiting_payment: {
      on: {
        'transfer.seen': seen,
        'transfer.final': paid,
        ...ends,
      },
    },
    seen: {
      on: {
        'transfer.seen': { actions: 'recordTransfer' },
        'transfer.vanished': [
          { guard: 'wasCanceled', target: 'canceled', actions: 'clearTransfer' },
          { guard: 'wasExpired', target: 'expired', actions: 'clearTransfer' },
          { target: 'awaiting_payment', actions: 'clearTransfer' },
        ],
        'transfer.final': paid,
      },
    },
    confirmed: { type: 'final' },
    canceled: { entry: assign({ end: 'canceled' }), on: { 'transfer.seen': seen, 'transfer.final': paid } },
    expired: { entry: assign({ end: 'expired' }), on: { 'transfer.seen': seen, 'transfer.final': paid } },
  },
})
