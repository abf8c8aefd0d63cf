import { MIN_ATTEMPTS, UNHEALTHY_ABOVE } from '../../machines/endpoint-health.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { retryOnRollback } from '../../shared/db/transaction.ts'
import type { ClaimedDelivery } from '../../shared/db/webhooks/daemon/claim-deliveries.ts'
import { type DeliveryProgress, leaseKey } from '../../shared/db/webhooks/daemon/deliveries.ts'
import { type SuccessfulDelivery, updateSuccesses } from '../../shared/db/webhooks/daemon/successes.ts'
import { type AttemptOutcome, decideAttempt } from './decide-delivery.ts'
import { getHealthWindow } from './health-window.ts'
import { countsForHealth } from './record-attempts.ts'

/** An attempt with a 2xx response. */
export type SuccessfulAttempt = { readonly delivery: ClaimedDelivery; readonly outcome: AttemptOutcome }

type Terms = { readonly now: Date; readonly attemptDelaysSeconds: readonly number[] }

/**
 * Records, in one statement, the successes that do not change their endpoints' health. These are nearly all attempts.
 *
 * Returns the updated deliveries in the order of the attempts, with `null` for an attempt that `recordAttempts` must
 * record, because its endpoint is unhealthy or has fewer than `MIN_ATTEMPTS` recent attempts, or its lease is lost.
 */
export async function recordSuccesses(
  sql: Sql,
  attempts: readonly SuccessfulAttempt[],
  { now, attemptDelaysSeconds }: Terms,
): Promise<readonly (SuccessfulDelivery | null)[]> {
  const decided = attempts.map((attempt) => decide(attempt, attemptDelaysSeconds))
  const terms = { ...getHealthWindow(now), leastFinished: MIN_ATTEMPTS, threshold: UNHEALTHY_ABOVE }
  const inOrder = decided.toSorted((left, right) => left.id - right.id)
  const leases = await retryOnRollback(() => updateSuccesses(sql, inOrder, terms))
  const recorded = new Set(leases.map(leaseKey))
  return decided.map((delivery) => (recorded.has(leaseKey(delivery)) ? delivery : null))
}

/** Returns only the columns that an attempt can change, because `decideAttempt` copies the row three times. */
function selectProgress(claimed: ClaimedDelivery): DeliveryProgress {
  const { status, attempts, cycleAttempts, cycleStartedAt, nextAttemptAt, firstAttemptedAt } = claimed
  const { responseCode, responseExcerpt, lastError, deliveredAt, failedAt } = claimed
  return {
    status,
    attempts,
    cycleAttempts,
    cycleStartedAt,
    nextAttemptAt,
    firstAttemptedAt,
    responseCode,
    responseExcerpt,
    lastError,
    deliveredAt,
    failedAt,
  }
}

/** Returns the delivery with the columns that a success writes, without the event and the secrets. */
function decide(
  { delivery: claimed, outcome }: SuccessfulAttempt,
  attemptDelaysSeconds: readonly number[],
): SuccessfulDelivery {
  const { id, webhookId, leasedUntil } = claimed
  const { delivery } = decideAttempt(selectProgress(claimed), outcome, attemptDelaysSeconds)
  const { status, attempts, cycleAttempts, cycleStartedAt, firstAttemptedAt, responseCode } = delivery
  const { responseExcerpt, deliveredAt } = delivery
  return {
    id,
    webhookId,
    leasedUntil,
    counts: countsForHealth(claimed),
    status,
    attempts,
    cycleAttempts,
    cycleStartedAt,
    firstAttemptedAt,
    responseCode,
    responseExcerpt,
    deliveredAt,
  }
}
