import { assertEvent, setup } from 'xstate'

/** The facts about the payout of one pair of one charge. */
export type PayoutFact =
  /** Our worker claimed the payout after the grace period. */
  | { readonly type: 'worker.claimed' }
  /**
   * A distribution by any account was indexed. It does not complete the payout yet, because it is not at confirmation
   * depth, or the merchant's share is held (decisions 5.4).
   */
  | { readonly type: 'distribution.seen' }
  /** The distribution that was seen has been orphaned by a reorganization. */
  | { readonly type: 'distribution.orphaned' }
  /** An attempt of our worker failed; `isLast` if the retry schedule is exhausted. */
  | { readonly type: 'attempt.failed'; readonly isLast: boolean }
  /**
   * Our worker found nothing to distribute, usually because of another account's distribution, which is not indexed
   * yet. This is not a failed attempt.
   */
  | { readonly type: 'nothing.found' }
  /**
   * Our worker could not act: the nodes did not respond, the fees were too high, our account lacked funds, or the
   * charge is quarantined. This does not count as an attempt.
   */
  | { readonly type: 'attempt.postponed' }
  /** The payout is blocked: the token is paused, or its issuer restricts the split itself (decisions 5.3). */
  | { readonly type: 'payout.restricted' }
  /** A distribution at confirmation depth leaves an amount owed: the split received more than was distributed. */
  | { readonly type: 'distribution.fell_short' }
  /**
   * The indexed distributions at confirmation depth cover the credits, and the merchant's share is not held.
   * `isOffered` is false if they covered the credits before the payout could be offered to keepers.
   */
  | { readonly type: 'payout.covered'; readonly isOffered: boolean }
  /**
   * The charge opened its payouts again while an amount is owed on the pair, usually because late funds were credited.
   * `isUntried` is true while no attempt was counted and the payout is not held.
   */
  | { readonly type: 'funds.added'; readonly isUntried: boolean }
  /** The attempt's lease expired, and our worker resumed the attempt. */
  | { readonly type: 'worker.resumed' }
  /** Our worker found that the owed amount is not worth the gas. */
  | { readonly type: 'dust.found' }
  /** The attempt's transaction was signed. Its status now decides the next step. */
  | { readonly type: 'transaction.signed' }

const payoutSetup = setup({
  types: { context: {} as Record<string, never>, events: {} as PayoutFact },
  actions: {
    /** Effect: `distribution.claimed` on the keeper feed. */
    announceClaimed: () => undefined,
    /** Effect: `distribution.available` on the keeper feed, with a new grace period. */
    announceAvailable: () => undefined,
    /** Effect: notify the charge that this pair's payout failed. */
    reportFailed: () => undefined,
    /** Columns: one more attempt, which starts now, with a lease. */
    beginAttempt: () => undefined,
    /** Columns: a new lease for the same attempt. */
    renewLease: () => undefined,
    /** Columns: no lease. */
    endLease: () => undefined,
    /** Columns: do not count the claim as an attempt. */
    undoAttempt: () => undefined,
    /** Columns: the reason why nothing was paid. */
    recordError: () => undefined,
    /** Columns: the distributor and transaction of the distribution that was seen; processing started now. */
    recordDistribution: () => undefined,
    /** Columns: no distributor and no transaction. */
    clearDistribution: () => undefined,
    /** Columns: due for our worker after a grace period. */
    reopenAfterGrace: () => undefined,
    /** Columns: due for our worker in one minute, when the nodes might respond again. */
    scheduleNodeRetry: () => undefined,
    /** Columns: the next attempt by the retry schedule. */
    scheduleRetry: () => undefined,
    /** Columns: available to keepers immediately, and no longer due for our worker. */
    leaveToKeepers: () => undefined,
    /** Columns: held since the first hold, and due for the next check in one hour. */
    hold: () => undefined,
    /** Columns: no longer held. */
    endHold: () => undefined,
    /** Columns: check again after a delay that grows with the age of the attempt, up to one hour. */
    scheduleLook: () => undefined,
    /** Columns: check again in one hour, when more money might have arrived. */
    awaitMore: () => undefined,
    /** Columns: check after a grace period, if that is sooner than the scheduled check. */
    hasten: () => undefined,
    /** Columns: started now, because the payout was covered while it was not claimed. */
    noteStart: () => undefined,
    /** Columns: completed now, with the distributor and transaction if they are known, and without an error. */
    complete: () => undefined,
    /** Columns: no attempts yet, available from now on, not completed. */
    reopen: () => undefined,
  },
  guards: {
    isLast: ({ event }) => {
      assertEvent(event, 'attempt.failed')
      return event.isLast
    },
    isOffered: ({ event }) => {
      assertEvent(event, 'payout.covered')
      return event.isOffered
    },
    isUntried: ({ event }) => {
      assertEvent(event, 'funds.added')
      return event.isUntried
    },
  },
})

const COMPLETE = ['complete', 'endHold', 'endLease'] as const
const NOT_CLAIMED = ['noteStart', ...COMPLETE] as const
const claimed = { target: 'processing', actions: ['beginAttempt', 'announceClaimed'] } as const
const distributed = {
  target: 'processing',
  actions: ['recordDistribution', 'endHold', 'endLease', 'announceClaimed'],
} as const
/**
 * The payout was covered while it was not claimed, usually because its distribution was first seen at confirmation
 * depth. If the payout was offered to keepers, they are notified now.
 */
const coveredUnclaimed = [
  { guard: 'isOffered', target: 'completed', actions: [...NOT_CLAIMED, 'announceClaimed'] },
  { target: 'completed', actions: NOT_CLAIMED },
] as const
/** A failed payout keeps the start time of our last attempt. Keepers are notified if it was offered to them. */
const coveredByOthers = [
  { guard: 'isOffered', target: 'completed', actions: [...COMPLETE, 'announceClaimed'] },
  { target: 'completed', actions: COMPLETE },
] as const
const held = { target: 'held', actions: ['recordError', 'undoAttempt', 'hold', 'endLease'] } as const
const OFFER = ['reopenAfterGrace', 'endHold', 'endLease', 'announceAvailable'] as const
const reopened = { target: 'pending', actions: ['reopen', ...OFFER] } as const
const tooLittle = { actions: 'awaitMore' } as const

/**
 * The states of a payout: `pending → processing → completed`. A failed attempt returns it to `pending`, and the last
 * failed attempt moves it to `failed`. A payout in `held` waits for a token issuer and is shown as `pending`.
 *
 * Our worker does not attempt a failed payout again. The payout stays on the keeper feed while an amount is owed.
 *
 * Only these actions change the columns of a payout's row, except that `releaseLeases` ends leases.
 *
 * Only indexed distributions at confirmation depth complete a payout; a receipt of our own transaction does not. Anyone
 * may distribute at any time, so every state except `completed` handles `payout.covered`.
 */
export const payoutMachine = payoutSetup.createMachine({
  id: 'payout',
  context: {},
  initial: 'pending',
  states: {
    pending: {
      on: {
        'worker.claimed': claimed,
        'distribution.seen': distributed,
        'payout.covered': coveredUnclaimed,
        'payout.restricted': held,
        'dust.found': tooLittle,
        'funds.added': { guard: 'isUntried', actions: 'hasten' },
      },
    },
    processing: {
      on: {
        'worker.resumed': { actions: 'renewLease' },
        'transaction.signed': { actions: ['endHold', 'endLease'] },
        'payout.covered': { target: 'completed', actions: COMPLETE },
        'distribution.orphaned': { target: 'pending', actions: ['clearDistribution', ...OFFER] },
        'distribution.fell_short': { target: 'pending', actions: OFFER },
        'attempt.postponed': {
          target: 'pending',
          actions: [
            'recordError',
            'undoAttempt',
            'scheduleNodeRetry',
            'endHold',
            'endLease',
            'announceAvailable',
          ],
        },
        'nothing.found': { actions: ['scheduleLook', 'endLease'] },
        'payout.restricted': held,
        'attempt.failed': [
          {
            guard: 'isLast',
            target: 'failed',
            actions: [
              'recordError',
              'leaveToKeepers',
              'endHold',
              'endLease',
              'reportFailed',
              'announceAvailable',
            ],
          },
          {
            target: 'pending',
            actions: ['recordError', 'scheduleRetry', 'endHold', 'endLease', 'announceAvailable'],
          },
        ],
        'dust.found': tooLittle,
        'funds.added': { actions: 'hasten' },
      },
    },
    held: {
      on: {
        'worker.claimed': claimed,
        'distribution.seen': distributed,
        'payout.covered': coveredUnclaimed,
        'payout.restricted': { actions: held.actions },
        'dust.found': tooLittle,
      },
    },
    completed: { on: { 'funds.added': reopened } },
    failed: { on: { 'payout.covered': coveredByOthers, 'funds.added': reopened } },
  },
})
