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
  allocateTurn,
  countInFlight,
  getFreeCapacity,
  type SlotAllocation,
  type TurnAllocation,
} from './allocate-slots.ts'
import { type AttemptOutcome, isSuccess } from './decide-delivery.ts'
import { createEndpointSlots } from './endpoint-slots.ts'
import { findDueEndpoints } from './find-due-endpoints.ts'
import { isAttemptError } from './is-attempt-error.ts'
import { type AttemptDeps, attemptDelivery } from './make-attempt.ts'
import { ATTEMPT_TIMEOUT_MS } from './post-webhook.ts'
import { type AttemptRecord, type FinishedAttempt, recordAttempts } from './record-attempts.ts'
import { recordSuccesses, type SuccessfulAttempt } from './record-successes.ts'
import type { AttemptResult, WebhookMetrics } from './webhook-metrics.ts'

export type DeliveryActorDeps = AttemptDeps & {
  readonly sql: Sql
  readonly log: Logger
  readonly metrics: WebhookMetrics
  readonly terms: {
    /** Maximum attempts in flight. */
    readonly concurrency: number
    /** Due time of each attempt, in seconds after the first (decisions 6.5). */
    readonly attemptDelaysSeconds: readonly number[]
  }
  /** Called after a commit that appended events. */
  readonly onEvents: () => void
  readonly onFree: () => void
}

/**
 * Lease of a delivery, longer than an attempt and the recording of its outcome. After `kill -9`, the daemon's leased
 * deliveries wait at most this long.
 */
const LEASE_MS = ATTEMPT_TIMEOUT_MS + 7000

/**
 * Minimum remaining lease when an attempt starts: the attempt's timeout, plus the time that recording takes under high
 * load.
 */
const MIN_LEASE_MS = ATTEMPT_TIMEOUT_MS + 3000

/**
 * Maximum time that a delivery leased ahead waits before its attempt starts. The claim reads the secrets, so even after
 * a rotation that ends the old secret immediately, attempts might be signed with the old secret for this long
 * (docs/webhooks.md, "Changing the secret").
 */
const MAX_HELD_MS = 1000

/**
 * Maximum consecutive turns that search for an endpoint to serve before the loop rests. If no due endpoint can be
 * served, for example because failing endpoints already use their half of the slots, more searching would only load
 * PostgreSQL.
 */
const MAX_FRUITLESS_TURNS = 5

/** Maximum attempts recorded per transaction. Attempts are batched only under load. */
const RECORD_BATCH = 100

/**
 * Creates the worker that delivers events to webhook endpoints.
 *
 * A turn leases due deliveries and commits. Each event is then posted outside any transaction, and the attempt is
 * recorded. The process may be killed at any point: another worker claims the delivery when the lease expires. Every
 * event is therefore attempted at least once, each time with the same id and body.
 *
 * `allocateSlots` ensures fairness; `claimDeliveries` orders the first attempts of a charge's events.
 */
export function createDeliveryActor(deps: DeliveryActorDeps) {
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
    isOfOneItem: isAttemptError,
  })
  const recordSuccess = createBatch({
    run: (successes: readonly SuccessfulAttempt[]) =>
      recordSuccesses(sql, successes, { ...terms, now: clock() }),
    maxItems: RECORD_BATCH,
    // More than one, because with a single run, all attempts would wait for an endpoint whose health is locked
    // elsewhere. Not more, because larger batches cost less per attempt.
    maxRuns: 2,
    isOfOneItem: isAttemptError,
  })
  /** The last endpoint served; the next turn continues after it. */
  let lastServed = ''
  /** Consecutive turns that continued the search without starting an attempt. */
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

  function allot(endpoints: readonly DueEndpoint[]): TurnAllocation {
    const underWay = slots.underWay()
    const waiting = countInFlight(endpoints, underWay)
    const capacity = getFreeCapacity(underWay, terms.concurrency)
    const ahead = { free: terms.concurrency - slots.held(), of: slots.roomAhead }
    return allocateTurn(waiting, { capacity, ahead })
  }

  async function begin(
    claims: readonly SlotAllocation[],
    endpoints: readonly DueEndpoint[],
  ): Promise<number> {
    const now = clock()
    const leasedUntil = new Date(now.getTime() + LEASE_MS)
    const claimed = await claimDeliveries(sql, { slots: claims, now: dueBy(now), leasedUntil })
    // The claim took so long that an attempt started now might be recorded after the end of its lease, and the delivery
    // might be sent twice.
    if (leasedUntil.getTime() - clock().getTime() < MIN_LEASE_MS) {
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
      const outcome = await attemptDelivery(deps, delivery)
      const quiet = isSuccess(outcome) ? await recordSuccess({ delivery, outcome }) : null
      const row = quiet ?? (await record({ lease: delivery, outcome }))
      result = row === null ? 'overtaken' : resultOf(outcome)
      logAttempt(deps.log, { delivery, outcome, row })
    } catch (error) {
      // The fault is ours, so it does not count for the endpoint's health. The next attempt starts after the lease
      // expires.
      deps.log.error({ msg: 'Could not make or record an attempt', ...fieldsOf(delivery), error })
    }
    deps.metrics.countAttempt(result, (performance.now() - startedAtMs) / 1000)
    return result === 'delivered'
  }

  async function release(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    try {
      await releaseDeliveries(sql, deliveries)
    } catch (error) {
      // A failure costs only time, because the leases expire.
      deps.log.warn({ msg: 'Could not release leases', deliveries: deliveries.length, error })
    }
  }

  return {
    /** Claims due deliveries, and starts their attempts in free slots, without waiting for the attempts to end. */
    turn,
    /** Releases deliveries whose attempt has not started, and resolves when no attempt is in flight. */
    settle: slots.settle,
  }
}

/**
 * Returns the time up to which deliveries count as due, including those inserted in the current millisecond:
 * PostgreSQL's timestamps have microseconds, and ours are truncated. Without the extra millisecond, one event in a
 * hundred waited for the next poll (1 s) if no other endpoint was due.
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
  if (row === null) return log.warn({ msg: 'Attempt lost its lease', ...fields })
  if (isSuccess(outcome)) return log.debug({ msg: 'Delivered an event', ...fields, attempts: row.attempts })
  const { status, attempts, nextAttemptAt } = row
  log.info({
    msg: 'Delivery attempt failed',
    ...{ ...fields, error: outcome.error, attempts, status, next_attempt_at: nextAttemptAt },
  })
}

function fieldsOf({ publicId, webhookId, eventId, type }: ClaimedDelivery) {
  return { delivery_id: publicId, webhook_id: webhookId, event_id: eventId, event: type }
}
