import type { Sql } from '../../shared/db/connect.ts'
import { appendEvents, type NewEvent } from '../../shared/db/events/daemon/events.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import {
  type DeliveryRow,
  type Lease,
  leaseKey,
  lockLeasedDeliveries,
  updateDeliveries,
} from '../../shared/db/webhooks/daemon/deliveries.ts'
import {
  type AttemptCount,
  addAttempts,
  type EndpointHealth,
  lockEndpointHealth,
  sumAttempts,
  updateEndpointHealth,
} from '../../shared/db/webhooks/daemon/endpoint-health.ts'
import { invariant } from '../../shared/domain/errors.ts'
import type { WebhookEventType } from '../../shared/domain/event.ts'
import { newId } from '../../shared/domain/ids.ts'
import {
  type AttemptOutcome,
  decideAttempt,
  decideHealth,
  type EndpointState,
  isSuccess,
} from './decide-delivery.ts'
import { getHealthWindow } from './health-window.ts'

export type FinishedAttempt = {
  readonly lease: Lease
  readonly outcome: AttemptOutcome
}

export type AttemptRecord = {
  /** The updated deliveries in the order of the attempts; `null` for an attempt whose lease was lost. */
  readonly deliveries: readonly (DeliveryRow | null)[]
  /** The types of the appended events. */
  readonly signals: readonly WebhookEventType[]
}

type Terms = { readonly now: Date; readonly attemptDelaysSeconds: readonly number[] }

/**
 * Records finished attempts in one transaction: the deliveries, the endpoints' health, and the resulting events.
 *
 * Locks deliveries, then endpoints, each in the order of their ids. Skips an attempt whose delivery was claimed again,
 * or whose webhook was deleted.
 */
export function recordAttempts(
  sql: Sql,
  attempts: readonly FinishedAttempt[],
  terms: Terms,
): Promise<AttemptRecord> {
  return inTransaction(sql, async (db) => {
    const locked = await lockLeasedDeliveries(
      db,
      attempts.map(({ lease }) => ({ id: lease.id, leasedUntil: lease.leasedUntil })),
    )
    // Keyed by lease, because the batch might include an earlier attempt of the same delivery, whose lease is lost.
    const rows = new Map(locked.map((row) => [leaseKey(row), row]))
    const own = attempts.flatMap(({ lease, outcome }) => {
      const row = rows.get(leaseKey(lease))
      return row === undefined ? [] : [{ row, outcome }]
    })
    if (own.length === 0) return { deliveries: attempts.map(() => null), signals: [] }

    const { hour, since } = getHealthWindow(terms.now)
    const webhookIds = [...new Set(own.map(({ row }) => row.webhookId))]
    const healths = await lockEndpointHealth(db, webhookIds)
    const sums = await sumAttempts(db, { webhookIds, since })
    const decided = decideAll(own, { healths, sums, terms })

    await Promise.all([
      updateDeliveries(db, decided.deliveries),
      addAttempts(db, { counts: decided.counts, hour }),
      updateEndpointHealth(db, changed(decided.healths, healths)),
      decided.events.length > 0 ? appendEvents(db, decided.events) : null,
    ])
    const recorded = new Map(decided.deliveries.map((delivery) => [delivery.id, delivery]))
    return {
      deliveries: attempts.map(({ lease }) =>
        rows.has(leaseKey(lease)) ? (recorded.get(lease.id) ?? null) : null,
      ),
      signals: decided.events.map(({ type }) => type as WebhookEventType),
    }
  })
}

type OwnAttempt = { readonly row: DeliveryRow; readonly outcome: AttemptOutcome }

type Before = {
  readonly healths: readonly EndpointHealth[]
  readonly sums: readonly AttemptCount[]
  readonly terms: Terms
}

/**
 * Returns whether attempts of a delivery count for the endpoint's health. Deliveries of events about webhooks do not
 * count; otherwise a dead endpoint would cause further events about itself.
 */
export function countsForHealth({ category }: Pick<DeliveryRow, 'category'>): boolean {
  return category === 'payments'
}

/** Applies the attempts in sequence, each to the health that the previous attempt left. */
function decideAll(own: readonly OwnAttempt[], { healths, sums, terms }: Before) {
  const states = new Map(healths.map((health) => [health.webhookId, stateBefore(health, sums)]))
  const { now } = terms
  const deliveries: DeliveryRow[] = []
  const events: NewEvent[] = []
  for (const { row, outcome } of own) {
    const { delivery, announcesFailed } = decideAttempt(row, outcome, terms.attemptDelaysSeconds)
    const before = states.get(row.webhookId)
    invariant(before, `the health of ${row.webhookId} is locked`)
    const succeeded = isSuccess(outcome)
    const counts = countsForHealth(row)
    const health = counts ? decideHealth(before, succeeded) : null
    const state = health?.state ?? before
    states.set(row.webhookId, { ...state, health: { ...state.health, isFailing: !succeeded } })
    deliveries.push(delivery)
    if (counts && announcesFailed) events.push(signal(row, { type: 'webhook.delivery_failed', now }))
    if (health?.announcesRecovered) events.push(signal(row, { type: 'webhook.delivery_recovered', now }))
    if (health?.announcesUnhealthy) {
      const { finished, failed } = state.counts
      events.push(signal(row, { type: 'webhook.endpoint_unhealthy', now, failureRatio: failed / finished }))
    }
  }
  return {
    deliveries,
    events,
    healths: [...states.values()].map(({ health }) => health),
    counts: [...states.values()].flatMap((state) => added(state, sums)),
  }
}

function stateBefore(health: EndpointHealth, sums: readonly AttemptCount[]): EndpointState {
  return { health, counts: sumOf(health.webhookId, sums) }
}

function sumOf(webhookId: string, sums: readonly AttemptCount[]): AttemptCount {
  return sums.find((sum) => sum.webhookId === webhookId) ?? { webhookId, finished: 0, failed: 0 }
}

/** Returns the attempts that this batch adds to the endpoint's counts of the current hour. */
function added(
  { health: { webhookId }, counts }: EndpointState,
  sums: readonly AttemptCount[],
): AttemptCount[] {
  const before = sumOf(webhookId, sums)
  const finished = counts.finished - before.finished
  return finished === 0 ? [] : [{ webhookId, finished, failed: counts.failed - before.failed }]
}

function changed(
  after: readonly EndpointHealth[],
  before: readonly EndpointHealth[],
): readonly EndpointHealth[] {
  return after.filter((health) => {
    const old = before.find(({ webhookId }) => webhookId === health.webhookId)
    return (
      old?.failureLevel !== health.failureLevel ||
      old.recoveryNotice !== health.recoveryNotice ||
      old.isFailing !== health.isFailing
    )
  })
}

type Signal = { readonly type: WebhookEventType; readonly now: Date; readonly failureRatio?: number }

function signal(
  { webhookId, url, organizationId, environment }: DeliveryRow,
  { type, now, ...more }: Signal,
): NewEvent {
  return {
    id: newId('evt', now.getTime()),
    category: 'webhooks',
    type,
    organizationId,
    environment,
    chargeId: null,
    data: JSON.stringify({ webhookId, url, ...more }),
    createdAt: now,
  }
}
