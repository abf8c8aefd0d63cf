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
  /** Late funds were credited on the pair. */
  | { readonly type: 'funds.added' }

const payoutSetup = setup({
  types: { context: {} as Record<string, never>, events: {} as PayoutFact },
  actions: {
    /** Effect: `distribution.claimed` on the keeper feed. */
    announceClaimed: () => undefined,
    /** Effect: `distribution.available` on the keeper feed, with a refreshed grace period. */
    announceAvailable: () => undefined,
    /** Effect: the next attempt by the schedule. */
    scheduleRetry: () => undefined,
    /** Effect: look again later, in an hour at most, without counting an attempt and without a webhook. */
    scheduleRecheck: () => undefined,
    /** Effect: tell the charge that this pair's payout failed. */
    reportFailed: () => undefined,
    /** Effect: tell the charge that this pair is paid. */
    reportCompleted: () => undefined,
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
  },
})

const covered = { target: 'completed', actions: 'reportCompleted' } as const
/** The distribution was at depth when it was first seen: whoever keeps the list of what can be claimed hears it now. */
const coveredUnclaimed = [
  { guard: 'isOffered', target: 'completed', actions: ['announceClaimed', 'reportCompleted'] },
  covered,
] as const
const claimed = { target: 'processing', actions: 'announceClaimed' } as const
const reopened = { target: 'pending', actions: 'announceAvailable' } as const

/**
 * The life of a payout: `pending → processing → completed`; a failed attempt goes back to `pending`, the last one to
 * `failed`; `held` waits for an issuer and is shown as `pending`.
 *
 * What has failed is ours no more and everybody else's still: it stays on the keeper feed as long as it owes.
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
        'distribution.seen': claimed,
        'payout.covered': coveredUnclaimed,
        'payout.restricted': { target: 'held', actions: 'scheduleRecheck' },
      },
    },
    processing: {
      on: {
        'payout.covered': covered,
        'distribution.vanished': reopened,
        'distribution.fell_short': reopened,
        'attempt.postponed': reopened,
        'nothing.found': { actions: 'scheduleRecheck' },
        'payout.restricted': { target: 'held', actions: 'scheduleRecheck' },
        'attempt.failed': [
          { guard: 'isLast', target: 'failed', actions: ['reportFailed', 'announceAvailable'] },
          { target: 'pending', actions: ['scheduleRetry', 'announceAvailable'] },
        ],
      },
    },
    held: {
      on: {
        'worker.claimed': claimed,
        'distribution.seen': claimed,
        'payout.covered': coveredUnclaimed,
        'payout.restricted': { actions: 'scheduleRecheck' },
      },
    },
    completed: { on: { 'funds.added': reopened } },
    failed: { on: { 'payout.covered': coveredUnclaimed, 'funds.added': reopened } },
  },
})
