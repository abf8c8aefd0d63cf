import { assertEvent, setup } from 'xstate'

/** What happens to the payout of one pair of one charge. */
export type PayoutFact =
  /** Our own worker claimed it after the grace period. */
  | { readonly type: 'worker.claimed' }
  /** A distribution by anyone was indexed, not yet at depth (decisions 5.4). */
  | { readonly type: 'distribution.seen' }
  /** The distribution that was seen has been reorganized away. */
  | { readonly type: 'distribution.vanished' }
  /** An attempt of ours failed; `isLast` when the schedule of retries is used up. */
  | { readonly type: 'attempt.failed'; readonly isLast: boolean }
  /** Our worker found nothing to distribute: somebody has, and the index will tell; no attempt has failed. */
  | { readonly type: 'nothing.found' }
  /** The chain could not be asked, so nothing is known against the payout: no attempt. */
  | { readonly type: 'attempt.postponed' }
  /** Nobody can be paid: the token is paused or the issuer restricts the split itself (decisions 5.3). */
  | { readonly type: 'payout.restricted' }
  /** A distribution at depth leaves something owed: more was credited than it found. */
  | { readonly type: 'distribution.fell_short' }
  /**
   * The indexed distributions at depth cover what was credited, and the merchant's share is not held; `isOffered` unless
   * they did so before it could be offered to the keepers.
   */
  | { readonly type: 'payout.covered'; readonly isOffered: boolean }
  /** Late funds were credited on the pair; `isUntried` while no attempt was made and nothing holds it. */
  | { readonly type: 'funds.added'; readonly isUntried: boolean }
  /** The attempt's lease was over, and our worker goes on with it. */
  | { readonly type: 'worker.resumed' }
  /** Our worker looked, and what is owed is not worth our gas. */
  | { readonly type: 'dust.found' }
  /** The attempt's transaction was signed, and from then on says whose turn it is. */
  | { readonly type: 'transaction.signed' }

const payoutSetup = setup({
  types: { context: {} as Record<string, never>, events: {} as PayoutFact },
  actions: {
    /** Effect: `distribution.claimed` on the keeper feed. */
    announceClaimed: () => undefined,
    /** Effect: `distribution.available` on the keeper feed, with a refreshed grace period. */
    announceAvailable: () => undefined,
    /** Effect: tell the charge that this pair's payout failed. */
    reportFailed: () => undefined,
    /** Columns: one attempt more, now, with a lease. */
    beginAttempt: () => undefined,
    /** Columns: the same attempt with a new lease. */
    renewLease: () => undefined,
    /** Columns: no lease. */
    endLease: () => undefined,
    /** Columns: the claim was no attempt. */
    uncountAttempt: () => undefined,
    /** Columns: why nothing was paid. */
    noteError: () => undefined,
    /** Columns: whose distribution was seen, and that it is under way since now. */
    noteDistribution: () => undefined,
    /** Columns: nobody's distribution. */
    forgetDistribution: () => undefined,
    /** Columns: ours again after a grace period. */
    offerAgain: () => undefined,
    /** Columns: ours again a minute from now, when the nodes may be back. */
    awaitNodes: () => undefined,
    /** Columns: the next attempt by the schedule. */
    scheduleRetry: () => undefined,
    /** Columns: everybody's at once, and ours no more. */
    leaveToKeepers: () => undefined,
    /** Columns: held, since the first time, until the next look in an hour. */
    hold: () => undefined,
    /** Columns: no longer held. */
    endHold: () => undefined,
    /** Columns: look again later, the longer since the attempt began the later, in an hour at most. */
    scheduleLook: () => undefined,
    /** Columns: look again when more may have come. */
    awaitMore: () => undefined,
    /** Columns: look after a grace period, if that is sooner. */
    hasten: () => undefined,
    /** Columns: it began now, for it was over before anybody claimed it. */
    noteStart: () => undefined,
    /** Columns: paid now, by whom is known. */
    complete: () => undefined,
    /** Columns: a new life from now on. */
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
  actions: ['noteDistribution', 'endHold', 'endLease', 'announceClaimed'],
} as const
/** The distribution was at depth when it was first seen: whoever keeps the list of what can be claimed hears it now. */
const coveredUnclaimed = [
  { guard: 'isOffered', target: 'completed', actions: [...NOT_CLAIMED, 'announceClaimed'] },
  { target: 'completed', actions: NOT_CLAIMED },
] as const
/** What was given up was begun long ago, and its claim was told of: to keepers it came back since. */
const coveredByOthers = [
  { guard: 'isOffered', target: 'completed', actions: [...COMPLETE, 'announceClaimed'] },
  { target: 'completed', actions: COMPLETE },
] as const
const held = { target: 'held', actions: ['noteError', 'uncountAttempt', 'hold', 'endLease'] } as const
const OFFER = ['offerAgain', 'endHold', 'endLease', 'announceAvailable'] as const
const reopened = { target: 'pending', actions: ['reopen', ...OFFER] } as const
const tooLittle = { actions: 'awaitMore' } as const

/**
 * The life of a payout: `pending → processing → completed`; a failed attempt goes back to `pending`, the last one to
 * `failed`; `held` waits for an issuer and is shown as `pending`.
 *
 * What has failed is ours no more and everybody else's still: it stays on the keeper feed as long as it owes.
 *
 * Every column of a payout's row moves by one of its actions, and by nothing else.
 *
 * Only an indexed distribution at depth completes it, never a receipt of ours; anyone may distribute at any time, so
 * `payout.covered` is heard in every state.
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
        'distribution.vanished': { target: 'pending', actions: ['forgetDistribution', ...OFFER] },
        'distribution.fell_short': { target: 'pending', actions: OFFER },
        'attempt.postponed': {
          target: 'pending',
          actions: ['noteError', 'uncountAttempt', 'awaitNodes', 'endHold', 'endLease', 'announceAvailable'],
        },
        'nothing.found': { actions: ['scheduleLook', 'endLease'] },
        'payout.restricted': held,
        'attempt.failed': [
          {
            guard: 'isLast',
            target: 'failed',
            actions: [
              'noteError',
              'leaveToKeepers',
              'endHold',
              'endLease',
              'reportFailed',
              'announceAvailable',
            ],
          },
          {
            target: 'pending',
            actions: ['noteError', 'scheduleRetry', 'endHold', 'endLease', 'announceAvailable'],
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
