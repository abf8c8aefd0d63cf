import { setup } from 'xstate'

/** The facts about a refund. A quorum of nodes shows each fact about a transfer. */
export type RefundFact =
  /** The payer gave an address. */
  | { readonly type: 'destination.claimed' }
  /** The merchant approved the payer's address. */
  | { readonly type: 'destination.approved' }
  /** The merchant rejected it. */
  | { readonly type: 'destination.rejected' }
  /** The transfer is in a block above confirmation depth. */
  | { readonly type: 'transfer.seen' }
  /** The transfer that was seen is no longer on the chain. */
  | { readonly type: 'transfer.vanished' }
  /** The transfer is at confirmation depth. */
  | { readonly type: 'transfer.final' }
  /** Its time has passed, by the database's clock. */
  | { readonly type: 'deadline.passed' }
  /** The merchant canceled it. */
  | { readonly type: 'cancel.ordered' }

const refundSetup = setup({
  types: { context: {} as Record<string, never>, events: {} as RefundFact },
  actions: {
    /** Columns: the approved address, and the block after which its transfer counts. */
    fixDestination: () => undefined,
    /** Columns: the transfer's transaction and block. */
    recordTransfer: () => undefined,
    /** Columns: no transfer. */
    clearTransfer: () => undefined,
    /** Columns: confirmed now, and the part that counts. */
    noteConfirmed: () => undefined,
    /** Columns: canceled now. */
    noteCanceled: () => undefined,
    /** Columns: expired now. */
    noteExpired: () => undefined,
    /** Effect: append `charge.refund_claimed`. */
    announceClaimed: () => undefined,
    /** Effect: append `charge.refunded`, and write the merchant's books. */
    announceRefunded: () => undefined,
    /** Effect: append `charge.refund_expired`. */
    announceExpired: () => undefined,
  },
})

const paid = {
  target: 'confirmed',
  actions: ['recordTransfer', 'noteConfirmed', 'announceRefunded'],
} as const

const ends = {
  'deadline.passed': { target: 'expired', actions: ['noteExpired', 'announceExpired'] },
  'cancel.ordered': { target: 'canceled', actions: 'noteCanceled' },
} as const

/**
 * The states of a refund: `awaiting_destination → awaiting_approval → awaiting_payment → seen → confirmed`. A refund to an
 * address that the merchant names starts in `awaiting_payment`. A reorganization returns it there; the merchant or the
 * deadline ends it.
 *
 * One claim freezes the payer's address: another one is possible only after the merchant has rejected it. Only the
 * merchant's approval makes it the destination.
 *
 * A canceled or expired refund does not reserve its amount, and a transfer above confirmation depth does not change it,
 * because a reorganization would have to restore its end. A transfer at confirmation depth confirms it: the money has
 * moved.
 *
 * No fact about a refund changes the status, the settlement or a payout of its charge.
 */
export const refundMachine = refundSetup.createMachine({
  id: 'refund',
  context: {},
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
        'destination.approved': { target: 'awaiting_payment', actions: 'fixDestination' },
        'destination.rejected': { target: 'awaiting_destination' },
        ...ends,
      },
    },
    awaiting_payment: {
      on: {
        'transfer.seen': { target: 'seen', actions: 'recordTransfer' },
        'transfer.final': paid,
        ...ends,
      },
    },
    seen: {
      on: {
        'transfer.seen': { actions: 'recordTransfer' },
        'transfer.vanished': { target: 'awaiting_payment', actions: 'clearTransfer' },
        'transfer.final': paid,
      },
    },
    confirmed: { type: 'final' },
    canceled: { on: { 'transfer.final': paid } },
    expired: { on: { 'transfer.final': paid } },
  },
})
