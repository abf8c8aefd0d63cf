import { type SnapshotFrom, transition } from 'xstate'
import { type DeliveryFact, deliveryMachine } from '../../machines/delivery.ts'
import { type EndpointFact, endpointHealthMachine } from '../../machines/endpoint-health.ts'
import type { DeliveryProgress } from '../../shared/db/webhooks/daemon/deliveries.ts'
import type { AttemptCount, EndpointHealth } from '../../shared/db/webhooks/daemon/endpoint-health.ts'
import type { DeliveryStatus } from '../../shared/domain/delivery.ts'
import { invariant } from '../../shared/domain/errors.ts'
import { nextAttemptAt } from './retry-schedule.ts'

export type AttemptOutcome = {
  readonly startedAt: Date
  readonly finishedAt: Date
  /** `null` if no response arrived. */
  readonly responseCode: number | null
  /** The first kilobyte of the response body. */
  readonly responseExcerpt: string | null
  /** Why no response arrived. */
  readonly error: string | null
  readonly retryAfterMs: number | null
}

/** The updated delivery, and whether to announce `webhook.delivery_failed`. */
export type DeliveryDecision<Row> = { readonly delivery: Row; readonly announcesFailed: boolean }

/** Returns whether the status is 2xx, which means success (decisions 6.5). */
export function isSuccess({ responseCode }: Pick<AttemptOutcome, 'responseCode'>): boolean {
  return responseCode !== null && responseCode >= 200 && responseCode < 300
}

/** Applies an attempt's outcome to its delivery. Pure. */
export function decideAttempt<Row extends DeliveryProgress>(
  row: Row,
  outcome: AttemptOutcome,
  delaysSeconds: readonly number[],
): DeliveryDecision<Row> {
  const attempted = countAttempt(row, outcome)
  const cycleStartedAt = attempted.cycleStartedAt ?? outcome.startedAt
  const { startedAt, finishedAt, retryAfterMs } = outcome
  const { cycleAttempts } = attempted
  const failed = { startedAt, finishedAt, retryAfterMs, cycleAttempts, cycleStartedAt }
  const nextAt = nextAttemptAt(failed, delaysSeconds)
  const fact: DeliveryFact = isSuccess(outcome)
    ? { type: 'attempt.succeeded' }
    : { type: 'attempt.failed', isLast: nextAt === null }
  const { delivery, actions } = move(attempted, { fact, at: outcome.finishedAt, nextAt })
  return { delivery, announcesFailed: actions.includes('announceFailed') }
}

/** Starts a fresh cycle of a delivery, whose first attempt is due immediately. Pure. */
export function decideRetry<Row extends DeliveryProgress>(row: Row, now: Date): Row {
  return move(row, { fact: { type: 'retry.requested' }, at: now, nextAt: now }).delivery
}

/** An endpoint's health, and its attempt counts in the 24 hours that the failure ratio covers. */
export type EndpointState = {
  readonly health: EndpointHealth
  readonly counts: Omit<AttemptCount, 'webhookId'>
}

/**
 * Applies a finished attempt to its endpoint's health. Returns the state after the attempt, and which events to
 * announce. Pure.
 */
export function decideHealth({ health, counts }: EndpointState, succeeded: boolean) {
  const after = { finished: counts.finished + 1, failed: counts.failed + (succeeded ? 0 : 1) }
  const fact: EndpointFact = { type: 'attempt.finished', succeeded, ...after }
  const { failureLevel, recoveryNotice } = health
  const [next, actions] = transition(endpointHealthMachine, healthIn({ failureLevel, recoveryNotice }), fact)
  const value = next.value as HealthValue
  const effects = new Set(actions.map(({ type }) => type))
  return {
    state: { health: { ...health, ...value }, counts: after },
    announcesUnhealthy: effects.has('announceUnhealthy'),
    announcesRecovered: effects.has('announceRecovered'),
  }
}

function countAttempt<Row extends DeliveryProgress>(row: Row, outcome: AttemptOutcome): Row {
  return {
    ...row,
    attempts: row.attempts + 1,
    cycleAttempts: row.cycleAttempts + 1,
    cycleStartedAt: row.cycleStartedAt ?? outcome.startedAt,
    firstAttemptedAt: row.firstAttemptedAt ?? outcome.finishedAt,
    // An attempt without a response keeps the previous status, because the API shows the last status received by any
    // attempt (decisions 6.3).
    responseCode: outcome.responseCode ?? row.responseCode,
    responseExcerpt: outcome.responseExcerpt ?? row.responseExcerpt,
    lastError: outcome.error,
  }
}

type Move = {
  readonly fact: DeliveryFact
  readonly at: Date
  /** Time of the next scheduled attempt; `null` if the schedule is used up. */
  readonly nextAt: Date | null
}

function move<Row extends DeliveryProgress>(row: Row, moved: Move) {
  const { status, actions } = decideMove(row.status, moved.fact)
  const columns = actions.map((name) => COLUMNS.get(name)?.(moved) ?? {})
  return { delivery: Object.assign({}, row, ...columns, { status }) as Row, actions }
}

type Decided = { readonly status: DeliveryStatus; readonly actions: readonly string[] }

/** Cache of the machine's transitions, which are only about a dozen. */
const DECIDED = new Map<string, Decided>()

function decideMove(status: DeliveryStatus, fact: DeliveryFact): Decided {
  const name = `${status} ${fact.type} ${fact.type === 'attempt.failed' && fact.isLast}`
  const known = DECIDED.get(name)
  if (known !== undefined) return known
  const [next, actions] = transition(deliveryMachine, DELIVERY_IN[status], fact)
  const found = { status: next.value, actions: actions.map(({ type }) => type) }
  DECIDED.set(name, found)
  return found
}

/** Column changes of each machine action. */
export const DELIVERY_COLUMNS = {
  scheduleNext: ({ nextAt }) => ({ nextAttemptAt: nextAt, deliveredAt: null, failedAt: null }),
  startCycle: ({ nextAt }) => ({
    ...{ cycleAttempts: 0, cycleStartedAt: null, nextAttemptAt: nextAt },
    ...{ deliveredAt: null, failedAt: null },
  }),
  noteDelivered: ({ at }) => ({ nextAttemptAt: null, deliveredAt: at, failedAt: null }),
  noteFailed: ({ at }) => ({ nextAttemptAt: null, deliveredAt: null, failedAt: at }),
} as const satisfies Readonly<Record<string, (moved: Move) => Partial<DeliveryProgress>>>

const COLUMNS: ReadonlyMap<string, (moved: Move) => Partial<DeliveryProgress>> = new Map(
  Object.entries(DELIVERY_COLUMNS),
)

// The states are restored only once, because restoring a state takes as long as a transition from it.

const DELIVERY_IN = {
  pending: deliveryMachine.resolveState({ value: 'pending', context: {} }),
  delivered: deliveryMachine.resolveState({ value: 'delivered', context: {} }),
  failed: deliveryMachine.resolveState({ value: 'failed', context: {} }),
} as const satisfies Record<DeliveryStatus, unknown>

type HealthValue = Pick<EndpointHealth, 'failureLevel' | 'recoveryNotice'>

const HEALTH_IN = new Map(
  (['low', 'high'] as const).flatMap((failureLevel) =>
    (['none', 'pending'] as const).map((recoveryNotice) => [
      `${failureLevel} ${recoveryNotice}`,
      endpointHealthMachine.resolveState({ value: { failureLevel, recoveryNotice }, context: {} }),
    ]),
  ),
)

function healthIn({ failureLevel, recoveryNotice }: HealthValue): SnapshotFrom<typeof endpointHealthMachine> {
  const snapshot = HEALTH_IN.get(`${failureLevel} ${recoveryNotice}`)
  invariant(snapshot, `the health machine has no state ${failureLevel}, ${recoveryNotice}`)
  return snapshot
}
