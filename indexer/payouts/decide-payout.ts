import { transition } from 'xstate'
import { type PayoutFact, payoutMachine } from '../../machines/payout.ts'
import type { PayoutProgress } from '../../shared/db/payouts/payouts.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'

/** Whose transaction paid. */
export type PayoutDistribution = { readonly distributorAddress: Address; readonly txHash: Hex }

/** A fact of the payout machine with what the payout's columns need of it. */
export type PayoutNews =
  /** @property leaseSeconds - how long the attempt belongs to the worker that claimed it */
  | { readonly type: 'worker.claimed'; readonly leaseSeconds: number }
  | { readonly type: 'distribution.seen'; readonly distribution: PayoutDistribution }
  | { readonly type: 'distribution.vanished'; readonly graceSeconds: number }
  | { readonly type: 'distribution.fell_short'; readonly graceSeconds: number }
  /** @property attemptDelaysSeconds - when attempts are made, from the first: `[0, 30, 120, …]` (decisions 5.1) */
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

/** What the host does after the row is written. */
export type PayoutEffect = 'announceClaimed' | 'announceAvailable' | 'reportFailed' | 'reportCompleted'

/** A payout after the news; the very same object, and no effects, if the news meant nothing to it. */
export type PayoutDecision<Payout> = { readonly payout: Payout; readonly effects: readonly PayoutEffect[] }

/** A chain that could not be asked is asked again this soon: nodes are back within a minute, or away for long. */
const POSTPONED_SECONDS = 60
/** Held payouts are looked at again this often (specification, "Limits"). */
const RECHECK_SECONDS = 3600

/** Decides what the news make of a payout: the machine says where it goes, this what its columns then are. Pure. */
export function decidePayout<Payout extends PayoutProgress>(
  payout: Payout,
  news: PayoutNews,
  now: Date,
): PayoutDecision<Payout> {
  const before = payoutMachine.resolveState({ value: stateOf(payout), context: {} })
  const [next, actions] = transition(payoutMachine, before, toFact(news, payout))
  if (next.value === before.value && actions.length === 0) return { payout, effects: [] }

  const columns = { lockedUntil: null, ...columnsAfter(news, payout, now), status: statusOf(next.value) }
  return { payout: { ...payout, ...columns }, effects: actions.map(({ type }) => type).filter(isEffect) }
}

function columnsAfter(news: PayoutNews, payout: PayoutProgress, now: Date): Partial<PayoutProgress> {
  switch (news.type) {
    case 'worker.claimed':
      return {
        attempts: payout.attempts + 1,
        processingStartedAt: now,
        lockedUntil: later(now, news.leaseSeconds),
      }
    case 'distribution.seen':
      return { ...news.distribution, processingStartedAt: now, heldSince: null }
    case 'distribution.vanished':
      return { distributorAddress: null, txHash: null, ...dueAfter(now, news.graceSeconds) }
    case 'distribution.fell_short':
      return dueAfter(now, news.graceSeconds)
    case 'attempt.postponed':
      return { lastError: news.error, attempts: uncounted(payout), ...dueAfter(now, POSTPONED_SECONDS) }
    case 'nothing.found':
      return { nextAttemptAt: later(now, secondsToNextLook(payout, now)) }
    case 'attempt.failed':
      return { lastError: news.error, ...dueAfter(now, secondsToNextAttempt(payout, news)) }
    case 'payout.restricted':
      return {
        lastError: news.error,
        attempts: uncounted(payout),
        ...dueAfter(now, RECHECK_SECONDS),
        heldSince: payout.heldSince ?? now,
      }
    case 'payout.covered':
      return {
        ...news.distribution,
        ...(payout.status === 'pending' && { processingStartedAt: now }),
        completedAt: now,
        heldSince: null,
        lastError: null,
      }
    case 'funds.added':
      return {
        attempts: 0,
        availableSince: now,
        completedAt: null,
        ...dueAfter(now, news.graceSeconds),
      }
  }
}

/** The claim that could do nothing is no attempt: an issuer, or an outage, may take longer than the whole schedule. */
function uncounted({ attempts }: PayoutProgress): number {
  return Math.max(0, attempts - 1)
}

/**
 * As long again as it has been since the attempt began: the event of whoever was faster comes within a minute or so,
 * and if nothing has come for an hour, nothing is known that would make the next look find more.
 */
function secondsToNextLook({ processingStartedAt }: PayoutProgress, now: Date): number {
  const seconds = (now.getTime() - (processingStartedAt ?? now).getTime()) / 1000
  return Math.min(RECHECK_SECONDS, Math.max(POSTPONED_SECONDS, seconds))
}

/**
 * `graceEndsAt` is when our own worker may claim it (specification, "PendingDistribution"): both move together. What is
 * offered to the keepers until then is not held.
 */
function dueAfter(now: Date, seconds: number): Partial<PayoutProgress> {
  const at = later(now, seconds)
  return { graceEndsAt: at, nextAttemptAt: at, heldSince: null }
}

type Schedule = { readonly attemptDelaysSeconds: readonly number[] }

/** The schedule counts from the first attempt, so from attempt n to n + 1 it is the difference. */
function secondsToNextAttempt({ attempts }: PayoutProgress, { attemptDelaysSeconds }: Schedule): number {
  const made = attemptDelaysSeconds[attempts - 1] ?? 0
  return Math.max(0, (attemptDelaysSeconds[attempts] ?? made) - made)
}

function toFact(news: PayoutNews, { attempts }: PayoutProgress): PayoutFact {
  if (news.type === 'payout.covered') return { type: news.type, isOffered: news.isOffered }
  if (news.type !== 'attempt.failed') return { type: news.type }
  return { type: news.type, isLast: attempts >= news.attemptDelaysSeconds.length }
}

/** `held` is shown, and stored, as pending with the moment since when. */
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

/** The machine's other actions say when to look again, which is in the columns. */
const EFFECTS: ReadonlySet<string> = new Set<PayoutEffect>([
  'announceClaimed',
  'announceAvailable',
  'reportFailed',
  'reportCompleted',
])

function isEffect(action: string): action is PayoutEffect {
  return EFFECTS.has(action)
}

function later(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000)
}
