import type { Sql } from '../../shared/db/connect.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  releaseDeliveries,
} from '../../shared/db/webhooks/daemon/claim-deliveries.ts'
import type { DeliveryProgress, DueEndpoint } from '../../shared/db/webhooks/daemon/deliveries.ts'
import { createBatch } from '../../shared/runtime/batch.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import {
  type Allotment,
  allotTurn,
  capacityBeside,
  countUnderWay,
  type TurnAllotment,
} from './allot-slots.ts'
import { type AttemptOutcome, isSuccess } from './decide-delivery.ts'
import { createEndpointSlots } from './endpoint-slots.ts'
import { findDueEndpoints } from './find-due-endpoints.ts'
import { isOfOneAttempt } from './is-of-one-attempt.ts'
import { type AttemptDeps, makeAttempt } from './make-attempt.ts'
import { ATTEMPT_TIMEOUT_MS } from './post.ts'
import { type AttemptRecord, type FinishedAttempt, recordAttempts } from './record-attempts.ts'
import { recordSuccesses, type SuccessfulAttempt } from './record-successes.ts'
import type { AttemptResult, WebhookMetrics } from './webhook-metrics.ts'

/** What the actors of deliveries work with. */
export type DeliveryActorDeps = AttemptDeps & {
  readonly sql: Sql
  readonly log: Logger
  readonly metrics: WebhookMetrics
  readonly terms: {
    /** Attempts under way at once. */
    readonly concurrency: number
    /** When each attempt is due, in seconds after the first (decisions 6.5). */
    readonly attemptDelaysSeconds: readonly number[]
  }
  /** Called after a commit that appended events. */
  readonly onEvents: () => void
  /** Called when slots have become free. */
  readonly onFree: () => void
}

/** The worker that attempts deliveries. */
export type DeliveryActor = {
  /** Begins attempts at what is due, as many as there are free slots, and does not wait for their end. */
  readonly turn: () => Promise<'more' | 'idle'>
  /** Resolves when every attempt that was begun has been recorded. */
  readonly settle: () => Promise<void>
}

/** A lease outlives the attempt and its record by far; after a kill -9 this is how long a delivery waits. */
const LEASE_MS = ATTEMPT_TIMEOUT_MS + 7000

/** Of a lease, what must be left when an attempt begins: its time, and as much again as its record takes on a busy day. */
const LEAST_LEASE_MS = ATTEMPT_TIMEOUT_MS + 3000

/**
 * Longest that a delivery is held. Its secrets came with its lease, so that for so long after a rotation that ends the
 * old one at once, something may still be signed with that (docs/webhooks.md, "Changing the secret").
 */
const MAX_HELD_MS = 1000

/**
 * Turns in a row that may go on looking for an endpoint that can be served, before the loop rests. When so many are due
 * that none can be, as failing ones beyond their half of the slots, looking on would only keep PostgreSQL busy.
 */
const MAX_FRUITLESS_TURNS = 5

/** Attempts recorded in one transaction; they come together only under load. */
const RECORD_BATCH = 100

/**
 * Makes the worker.
 *
 * A turn leases what is due and commits; an attempt then posts, outside any transaction, and is recorded. It may be
 * killed anywhere: a lease that runs out is taken up by whoever comes first, so that every event arrives at least
 * once, with the same id and the same bytes. Fairness is in `allotSlots`; the order of a charge's first attempts in
 * `claimDeliveries`. A success that changes nothing about its endpoint is one row's work (`recordSuccesses`); all else is
 * judged (`recordAttempts`).
 */
export function createDeliveryActor(deps: DeliveryActorDeps): DeliveryActor {
  const { sql, clock, terms } = deps
  const slots = createEndpointSlots({
    attempt,
    clock,
    concurrency: terms.concurrency,
    leastLeaseMs: LEASE_MS - MAX_HELD_MS,
    release,
    onCount: deps.metrics.setInFlight,
    onFree: deps.onFree,
  })
  const record = createBatch({
    run: async (attempts: readonly FinishedAttempt[]) => unzip(await recordAll(deps, attempts)),
    maxItems: RECORD_BATCH,
    maxRuns: 2,
    isOfOneItem: isOfOneAttempt,
  })
  const recordSuccess = createBatch({
    run: (successes: readonly SuccessfulAttempt[]) =>
      recordSuccesses(sql, successes, { ...terms, now: clock() }),
    maxItems: RECORD_BATCH,
    // A larger batch costs each less, but one alone would have all wait for an endpoint whose health is locked elsewhere.
    maxRuns: 2,
    isOfOneItem: isOfOneAttempt,
  })
  /** The last endpoint that was served: the next turn goes on after it. */
  let lastServed = ''
  /** How many turns in a row have looked further without beginning anything. */
  let fruitlessTurns = 0

  async function turn(): Promise<'more' | 'idle'> {
    if (slots.underWay().length >= terms.concurrency) return 'idle'
    const { endpoints, isComplete } = await findDueEndpoints(sql, { lastServed, now: dueBy(clock()) })
    const { claims, ...allotted } = allot(endpoints)
    lastServed = allotted.lastServed
    if (claims.length > 0 && (await begin(claims, endpoints)) > 0) {
      fruitlessTurns = 0
      return 'more'
    }
    fruitlessTurns = isComplete ? 0 : (fruitlessTurns + 1) % MAX_FRUITLESS_TURNS
    return fruitlessTurns === 0 ? 'idle' : 'more'
  }

  function allot(endpoints: readonly DueEndpoint[]): TurnAllotment {
    const underWay = slots.underWay()
    const waiting = countUnderWay(endpoints, underWay)
    const capacity = capacityBeside(underWay, terms.concurrency)
    const ahead = { free: terms.concurrency - slots.held(), of: slots.roomAhead }
    return allotTurn(waiting, { capacity, ahead })
  }

  async function begin(claims: readonly Allotment[], endpoints: readonly DueEndpoint[]): Promise<number> {
    const now = clock()
    const lockedUntil = new Date(now.getTime() + LEASE_MS)
    const claimed = await claimDeliveries(sql, { slots: claims, now: dueBy(now), lockedUntil })
    // PostgreSQL kept us waiting: what began now might be recorded after its lease, and be sent twice.
    if (lockedUntil.getTime() - clock().getTime() < LEAST_LEASE_MS) {
      if (claimed.length > 0) await release(claimed)
      return 0
    }
    const failing = new Set(endpoints.filter(({ isFailing }) => isFailing).map(({ webhookId }) => webhookId))
    for (const delivery of claimed) slots.take(delivery, failing.has(delivery.webhookId))
    return claimed.length
  }

  async function attempt(delivery: ClaimedDelivery): Promise<boolean> {
    const startedAtMs = performance.now()
    let result: AttemptResult = 'broken'
    try {
      const outcome = await makeAttempt(deps, delivery)
      const quiet = isSuccess(outcome) ? await recordSuccess({ delivery, outcome }) : null
      const row = quiet ?? (await record({ lease: delivery, outcome }))
      result = row === null ? 'overtaken' : resultOf(outcome)
      logAttempt(deps.log, { delivery, outcome, row })
    } catch (error) {
      // Ours to mend, not the endpoint's: nothing is counted against it, and the lease runs out.
      deps.log.error({ msg: 'Could not make or record an attempt', ...fieldsOf(delivery), error })
    }
    deps.metrics.countAttempt(result, (performance.now() - startedAtMs) / 1000)
    return result === 'delivered'
  }

  async function release(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    try {
      await releaseDeliveries(sql, deliveries)
    } catch (error) {
      // Nothing is lost but time: the leases run out.
      deps.log.warn({ msg: 'Could not give up leases', deliveries: deliveries.length, error })
    }
  }

  return { turn, settle: slots.settle }
}

/**
 * What was inserted in this very millisecond is due: PostgreSQL's moments have microseconds, ours are cut off. Without it one
 * event in a hundred waited for the next poll, a second, when nobody else was to be served.
 */
function dueBy(now: Date): Date {
  return new Date(now.getTime() + 1)
}

async function recordAll(
  { sql, clock, terms, metrics, onEvents }: DeliveryActorDeps,
  attempts: readonly FinishedAttempt[],
): Promise<AttemptRecord> {
  const { attemptDelaysSeconds } = terms
  const recorded = await recordAttempts(sql, attempts, { now: clock(), attemptDelaysSeconds })
  for (const type of recorded.signals) metrics.countSignal(type)
  if (recorded.signals.length > 0) onEvents()
  return recorded
}

function unzip({ deliveries }: AttemptRecord): AttemptRecord['deliveries'] {
  return deliveries
}

function resultOf(outcome: AttemptOutcome): AttemptResult {
  if (isSuccess(outcome)) return 'delivered'
  return outcome.responseCode === null ? 'unanswered' : 'refused'
}

type LoggedAttempt = {
  readonly delivery: ClaimedDelivery
  readonly outcome: AttemptOutcome
  readonly row: (Pick<DeliveryProgress, 'status' | 'attempts'> & Partial<DeliveryProgress>) | null
}

function logAttempt(log: Logger, { delivery, outcome, row }: LoggedAttempt): void {
  const fields = { ...fieldsOf(delivery), response_code: outcome.responseCode }
  if (row === null) return log.warn({ msg: 'Lost the lease of an attempt', ...fields })
  if (isSuccess(outcome)) return log.debug({ msg: 'Delivered an event', ...fields, attempts: row.attempts })
  const { status, attempts, nextAttemptAt } = row
  log.info({
    msg: 'Attempt of a delivery failed',
    ...{ ...fields, error: outcome.error, attempts, status, next_attempt_at: nextAttemptAt },
  })
}

function fieldsOf({ publicId, webhookId, eventId, type }: ClaimedDelivery) {
  return { delivery_id: publicId, webhook_id: webhookId, event_id: eventId, event: type }
}
