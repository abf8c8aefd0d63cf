import PQueue from 'p-queue'
import { isRetryable, type Sql } from '../../shared/db/connect.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  closeDeliveries,
  type DeliveryRow,
  type DueEndpoint,
  listDueEndpoints,
} from '../../shared/db/deliveries.ts'
import { presentEnvelope } from '../../shared/domain/webhook-envelope.ts'
import { signAttempt } from '../../shared/domain/webhook-signature.ts'
import { createBatch } from '../../shared/runtime/batch.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { allotSlots, type WaitingEndpoint } from '../webhooks/allot-slots.ts'
import type { OpenSecrets } from '../webhooks/open-secrets.ts'
import { ATTEMPT_TIMEOUT_MS, type Post } from '../webhooks/post.ts'
import { type AttemptRecord, type FinishedAttempt, recordAttempts } from '../webhooks/record-attempts.ts'
import { parseRetryAfter } from '../webhooks/schedule.ts'
import type { WebhookMetrics } from '../webhooks/webhook-metrics.ts'
import { type AttemptOutcome, isSuccess } from './decide-delivery.ts'

/** What the actors of deliveries work with. */
export type DeliveryActorDeps = {
  readonly sql: Sql
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: WebhookMetrics
  readonly post: Post
  readonly openSecrets: OpenSecrets
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

/** Attempts of one daemon under way at one endpoint: enough for 100 a second at 50 ms each, no flood. */
const SLOTS_PER_ENDPOINT = 5

/** A lease outlives the attempt and its record by far; after a kill -9 this is how long a delivery waits. */
const LEASE_MS = ATTEMPT_TIMEOUT_MS + 7000

/** Endpoints looked at in one statement, and statements in one turn: a turn stays below 20 ms. */
const PAGE_ENDPOINTS = 200
const PAGES = 5

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
 * `claimDeliveries`.
 */
export function createDeliveryActor(deps: DeliveryActorDeps): DeliveryActor {
  const { sql, clock, terms } = deps
  const queue = new PQueue({ concurrency: terms.concurrency })
  /** The endpoint of each attempt under way, and whether it was failing when it was claimed. */
  const running = new Map<number, { readonly webhookId: string; readonly isFailing: boolean }>()
  const record = createBatch({
    run: async (attempts: readonly FinishedAttempt[]) => unzip(await recordAll(deps, attempts)),
    maxItems: RECORD_BATCH,
    maxRuns: 2,
    isOfOneItem: (error) => !isRetryable(error),
  })
  /** The last endpoint that was served: the next turn goes on after it. */
  let lastServed = ''
  /** How many turns in a row have looked further without beginning anything. */
  let fruitlessTurns = 0

  async function turn(): Promise<'more' | 'idle'> {
    if (running.size >= terms.concurrency) return 'idle'
    const { endpoints, isComplete } = await findDueEndpoints()
    const slots = allotSlots(withAttempts(endpoints), capacity())
    lastServed = slots.at(-1)?.webhookId ?? endpoints.at(-1)?.webhookId ?? ''
    if (slots.length > 0 && (await begin(slots, endpoints)) > 0) {
      fruitlessTurns = 0
      return 'more'
    }
    fruitlessTurns = isComplete ? 0 : (fruitlessTurns + 1) % MAX_FRUITLESS_TURNS
    return fruitlessTurns === 0 ? 'idle' : 'more'
  }

  /** Every endpoint something is due to, from the one after the last served round to it, within the turn's bound. */
  async function findDueEndpoints(): Promise<{ endpoints: readonly DueEndpoint[]; isComplete: boolean }> {
    const now = clock()
    const found: DueEndpoint[] = []
    let [after, upTo]: [string, string | null] = [lastServed, null]
    for (let page = 0; page < PAGES; page += 1) {
      const endpoints = await listDueEndpoints(sql, { after, upTo, now, limit: PAGE_ENDPOINTS })
      for (const endpoint of endpoints.filter(({ isDeleted }) => isDeleted)) {
        await closeDeliveries(sql, { webhookId: endpoint.webhookId, at: now })
      }
      found.push(...endpoints.filter(({ isDeleted }) => !isDeleted))
      const last = endpoints.at(-1)
      if (last !== undefined && endpoints.length === PAGE_ENDPOINTS) after = last.webhookId
      else if (upTo === null && lastServed !== '') [after, upTo] = ['', lastServed]
      else return { endpoints: found, isComplete: true }
    }
    return { endpoints: found, isComplete: false }
  }

  function withAttempts(endpoints: readonly DueEndpoint[]): readonly WaitingEndpoint[] {
    const counts = new Map<string, number>()
    for (const { webhookId } of running.values()) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1)
    return endpoints.map((endpoint) => ({ ...endpoint, underWay: counts.get(endpoint.webhookId) ?? 0 }))
  }

  function capacity() {
    const free = terms.concurrency - running.size
    const failing = [...running.values()].filter(({ isFailing }) => isFailing).length
    // When slots become scarce, endpoints that are merely slow keep one each as well.
    const perEndpoint = free > terms.concurrency / 2 ? SLOTS_PER_ENDPOINT : 1
    return { free, freeForFailing: Math.floor(terms.concurrency / 2) - failing, perEndpoint }
  }

  async function begin(
    slots: readonly { webhookId: string; slots: number }[],
    endpoints: readonly DueEndpoint[],
  ): Promise<number> {
    const now = clock()
    const lockedUntil = new Date(now.getTime() + LEASE_MS)
    const claimed = await claimDeliveries(sql, { slots, now, lockedUntil })
    const failing = new Set(endpoints.filter(({ isFailing }) => isFailing).map(({ webhookId }) => webhookId))
    for (const delivery of claimed) {
      const { id, webhookId } = delivery
      running.set(id, { webhookId, isFailing: failing.has(webhookId) })
      void queue.add(() => attempt(delivery))
    }
    deps.metrics.setInFlight(running.size)
    return claimed.length
  }

  async function attempt(delivery: ClaimedDelivery): Promise<void> {
    const startedAtMs = performance.now()
    try {
      const outcome = await makeAttempt(deps, delivery)
      const row = await record({ lease: delivery, outcome })
      const result = row === null ? 'overtaken' : resultOf(outcome)
      deps.metrics.countAttempt(result, (performance.now() - startedAtMs) / 1000)
      logAttempt(deps.log, { delivery, outcome, row })
    } catch (error) {
      // Ours to mend, not the endpoint's: nothing is counted against it, and the lease runs out.
      deps.log.error({ msg: 'Could not make or record an attempt', ...fieldsOf(delivery), error })
      deps.metrics.countAttempt('broken', (performance.now() - startedAtMs) / 1000)
    } finally {
      running.delete(delivery.id)
      deps.metrics.setInFlight(running.size)
      deps.onFree()
    }
  }

  return { turn, settle: () => queue.onIdle() }
}

async function makeAttempt(
  { clock, post, openSecrets }: DeliveryActorDeps,
  delivery: ClaimedDelivery,
): Promise<AttemptOutcome> {
  const startedAt = clock()
  const secrets = openSecrets(delivery, startedAt)
  const { eventId: id, type, eventCreatedAt: createdAt, data } = delivery
  const body = presentEnvelope({ id, type, createdAt, data })
  const signatures = signAttempt({ id, body, timestamp: Math.floor(startedAt.getTime() / 1000) }, secrets)
  const headers = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'x-service-delivery': id,
    'x-service-event': type,
    ...signatures,
  }
  const { retryAfter, ...answer } = await post(delivery.url, { headers, body })
  const finishedAt = clock()
  return { ...answer, startedAt, finishedAt, retryAfterMs: parseRetryAfter(retryAfter, finishedAt) }
}

const USER_AGENT = 'stablecoin-payment-service-webhooks/1'

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

function unzip({ deliveries }: AttemptRecord): readonly (DeliveryRow | null)[] {
  return deliveries
}

function resultOf(outcome: AttemptOutcome) {
  if (isSuccess(outcome)) return 'delivered'
  return outcome.responseCode === null ? 'unanswered' : 'refused'
}

type LoggedAttempt = {
  readonly delivery: ClaimedDelivery
  readonly outcome: AttemptOutcome
  readonly row: DeliveryRow | null
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
