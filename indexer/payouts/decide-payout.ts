import { transition } from 'xstate'
import { type PayoutFact, payoutMachine } from '../../machines/payout.ts'
import type { PayoutProgress } from '../../shared/db/payouts/payouts.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { invariant } from '../../shared/domain/errors.ts'
import {
  DUST_RECHECK_SECONDS,
  getRecheckSeconds,
  getRetrySeconds,
  isLastAttempt,
  NODE_RETRY_SECONDS,
  RECHECK_SECONDS,
} from './retry-schedule.ts'

/** A distribution's transaction, and the distributor that its event names. */
export type PayoutDistribution = { readonly distributorAddress: Address; readonly txHash: Hex }

/** A fact of the payout machine, with the values to write to the payout's columns. */
export type PayoutUpdate =
  /** @property leaseSeconds - how long the worker owns the attempt */
  | { readonly type: 'worker.claimed'; readonly leaseSeconds: number }
  | { readonly type: 'distribution.seen'; readonly distribution: PayoutDistribution }
  | { readonly type: 'distribution.orphaned'; readonly graceSeconds: number }
  | { readonly type: 'distribution.fell_short'; readonly graceSeconds: number }
  /**
   * @property attemptDelaysSeconds - seconds from the first attempt to each attempt: `[0, 30, 120, …]` (decisions 5.1)
   */
  | {
      readonly type: 'attempt.failed'
      readonly error: string
      readonly attemptDelaysSeconds: readonly number[]
    }
  | { readonly type: 'attempt.postponed'; readonly error: string }
  | { readonly type: 'nothing.found' }
  | { readonly type: 'payout.restricted'; readonly error: string }
  | {
      readonly type: 'payout.covered'
      readonly distribution: PayoutDistribution | null
      readonly isOffered: boolean
    }
  | { readonly type: 'funds.added'; readonly graceSeconds: number }
  | { readonly type: 'worker.resumed'; readonly leaseSeconds: number }
  | { readonly type: 'dust.found' }
  | { readonly type: 'transaction.signed' }

/**
 * Effects to run after the row is written. `applyPayoutUpdate` makes the announcements, and its caller runs
 * `reportFailed`.
 */
export const PAYOUT_EFFECTS = ['announceClaimed', 'announceAvailable', 'reportFailed'] as const

export type PayoutEffect = (typeof PAYOUT_EFFECTS)[number]

/**
 * A payout after a fact was applied. If the fact changes nothing, `payout` is the same object and `effects` is empty.
 */
export type PayoutDecision<Payout> = { readonly payout: Payout; readonly effects: readonly PayoutEffect[] }

/** Applies a fact to a payout: the machine decides the next state and the column changes. Pure. */
export function decidePayout<Payout extends PayoutProgress>(
  payout: Payout,
  news: PayoutUpdate,
  now: Date,
): PayoutDecision<Payout> {
  const before = payoutMachine.resolveState({ value: stateOf(payout), context: {} })
  const [next, actions] = transition(payoutMachine, before, toFact(news, payout))
  if (next.value === before.value && actions.length === 0) return { payout, effects: [] }

  const names = actions.map(({ type }) => type)
  const columns = names.map((name) => COLUMNS.get(name)?.({ news, payout, now }) ?? {})
  const after = Object.assign({}, payout, ...columns, { status: statusOf(next.value) }) as Payout
  return { payout: after, effects: names.filter(isEffect) }
}

type Change = (of: {
  readonly news: PayoutUpdate
  readonly payout: PayoutProgress
  readonly now: Date
}) => Partial<PayoutProgress>

/** Changes that each action of the machine makes to the columns of a payout. */
export const PAYOUT_COLUMNS = {
  beginAttempt: ({ news, payout, now }) => ({
    attempts: payout.attempts + 1,
    processingStartedAt: now,
    leasedUntil: later(now, read(news, 'leaseSeconds')),
  }),
  renewLease: ({ news, now }) => ({ leasedUntil: later(now, read(news, 'leaseSeconds')) }),
  endLease: () => ({ leasedUntil: null }),
  // A held or postponed attempt does not count, because its cause, such as an issuer's restriction or an outage, can
  // last longer than the whole schedule.
  undoAttempt: ({ payout }) => ({ attempts: Math.max(0, payout.attempts - 1) }),
  recordError: ({ news }) => ({ lastError: read(news, 'error') }),
  recordDistribution: ({ news, now }) => ({ ...read(news, 'distribution'), processingStartedAt: now }),
  clearDistribution: () => ({ distributorAddress: null, txHash: null }),
  reopenAfterGrace: ({ news, now }) => dueAfter(now, read(news, 'graceSeconds')),
  scheduleNodeRetry: ({ now }) => dueAfter(now, NODE_RETRY_SECONDS),
  scheduleRetry: ({ news, payout, now }) =>
    dueAfter(now, getRetrySeconds(payout.attempts, read(news, 'attemptDelaysSeconds'))),
  leaveToKeepers: ({ now }) => dueAfter(now, 0),
  hold: ({ payout, now }) => ({ ...dueAfter(now, RECHECK_SECONDS), heldSince: payout.heldSince ?? now }),
  endHold: () => ({ heldSince: null }),
  scheduleLook: ({ payout, now }) => ({
    nextAttemptAt: later(now, getRecheckSeconds(payout.processingStartedAt, now)),
  }),
  awaitMore: ({ now }) => ({ nextAttemptAt: later(now, DUST_RECHECK_SECONDS) }),
  // After new funds, an amount that was too small may be large enough, and a split that was empty has a balance.
  hasten: ({ news, payout, now }) => ({
    nextAttemptAt: earlier(payout.nextAttemptAt, later(now, read(news, 'graceSeconds'))),
  }),
  noteStart: ({ now }) => ({ processingStartedAt: now }),
  complete: ({ news, now }) => ({ ...read(news, 'distribution'), completedAt: now, lastError: null }),
  reopen: ({ now }) => ({ attempts: 0, availableSince: now, completedAt: null }),
} as const satisfies Readonly<Record<string, Change>>

const COLUMNS: ReadonlyMap<string, Change> = new Map(Object.entries(PAYOUT_COLUMNS))

/** Reads a value that an action needs. The machine performs an action only for facts that carry its values. */
function read<Key extends NewsKey>(news: PayoutUpdate, key: Key): NewsWith<Key>[Key] {
  invariant(key in news, `${news.type} has no ${key}`)
  return (news as NewsWith<Key>)[key]
}

type NewsKey = 'leaseSeconds' | 'graceSeconds' | 'error' | 'distribution' | 'attemptDelaysSeconds'
type NewsWith<Key extends NewsKey> = Extract<PayoutUpdate, { readonly [key in Key]: unknown }>

/**
 * Sets both times to the same moment, because `graceEndsAt` shows keepers when our worker may claim the payout
 * (specification, "PendingDistribution").
 */
function dueAfter(now: Date, seconds: number): Partial<PayoutProgress> {
  const at = later(now, seconds)
  return { graceEndsAt: at, nextAttemptAt: at }
}

function toFact(news: PayoutUpdate, { attempts, heldSince }: PayoutProgress): PayoutFact {
  if (news.type === 'payout.covered') return { type: news.type, isOffered: news.isOffered }
  if (news.type === 'funds.added') return { type: news.type, isUntried: attempts === 0 && heldSince === null }
  if (news.type !== 'attempt.failed') return { type: news.type }
  return { type: news.type, isLast: isLastAttempt(attempts, news.attemptDelaysSeconds) }
}

/** A `held` payout is stored and shown as `pending`, with `heldSince` set. */
function stateOf({ status, heldSince }: PayoutProgress) {
  return status === 'pending' && heldSince !== null ? 'held' : status
}

function statusOf(state: unknown): PayoutProgress['status'] {
  switch (state) {
    case 'held':
      return 'pending'
    case 'pending':
    case 'processing':
    case 'completed':
    case 'failed':
      return state
    default:
      throw new Error(`Broken invariant: the payout machine has no state ${String(state)}`)
  }
}

const EFFECTS: ReadonlySet<string> = new Set(PAYOUT_EFFECTS)

function isEffect(action: string): action is PayoutEffect {
  return EFFECTS.has(action)
}

function later(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000)
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b
}
