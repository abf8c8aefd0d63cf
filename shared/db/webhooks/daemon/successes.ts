import type { Db } from '../../connect.ts'
import type { DeliveryProgress, Lease } from './deliveries.ts'

/** A delivery as it is after an attempt that was answered 2xx, and the lease under which that was made. */
export type SuccessfulDelivery = Omit<DeliveryProgress, 'nextAttemptAt' | 'lastError' | 'failedAt'> & {
  readonly id: number
  readonly webhookId: string
  readonly lockedUntil: Date
  /** Whether the attempt counts for its endpoint's health. */
  readonly counts: boolean
}

type Terms = {
  /** The bucket that the attempts are counted in, and the first of the window that the ratio is of. */
  readonly hour: Date
  readonly since: Date
  /** With fewer finished attempts a ratio says nothing. */
  readonly leastFinished: number
  /** Above this share of failed attempts an endpoint is unhealthy. */
  readonly threshold: { readonly numerator: number; readonly denominator: number }
}

/**
 * Records successes that change nothing about their endpoints, and ends their leases: in one statement, the deliveries
 * and the counts. Answers the leases of those it has recorded.
 *
 * Of an endpoint that is well, whose last attempt succeeded, and of whose attempts, which are enough, no more failed than
 * may, a success leaves the health as it is. Fewer say nothing of what a concurrent judgement may have made of them: a failure
 * among them changes no health yet. All others are left out, and so are those whose lease is no longer the row's.
 *
 * Locks deliveries, then the endpoints' health, each in the order of their ids, as `recordAttempts` does and the deletion of
 * a webhook: none of them waits for what another holds that waits for it. The health is locked so that no failure is
 * judged meanwhile by counts that lack these.
 */
export async function updateSuccesses(
  db: Db,
  successes: readonly SuccessfulDelivery[],
  { hour, since, leastFinished, threshold }: Terms,
): Promise<readonly Lease[]> {
  return await db<Lease[]>`
    with success as materialized (
      select id, "webhookId", "lockedUntil", counts, status, attempts, "cycleAttempts", "cycleStartedAt",
        "firstAttemptedAt", "responseCode", "responseExcerpt", "deliveredAt"
      from jsonb_to_recordset(${db.json(successes as never)}) as s (id int8, "webhookId" text,
        "lockedUntil" timestamptz, counts boolean, status text, attempts int, "cycleAttempts" int,
        "cycleStartedAt" timestamptz, "firstAttemptedAt" timestamptz, "responseCode" int, "responseExcerpt" text,
        "deliveredAt" timestamptz)
    ),
    own as materialized (
      select d.id, d.webhook_id, d.locked_until from success s
      join deliveries d on d.id = s.id and d.status = 'pending' and d.locked_until = s."lockedUntil"
      order by d.id
      for no key update of d
    ),
    well as materialized (
      select h.webhook_id from endpoint_health h
      where h.webhook_id = any (array(select distinct webhook_id from own))
        and h.ratio = 'low' and h.recovery = 'none' and not h.is_failing
        and exists (select from webhooks w where w.id = h.webhook_id and w.deleted_at is null)
        and (select sum(a.finished) >= ${leastFinished}
               and sum(a.failed) * ${threshold.denominator} <= sum(a.finished) * ${threshold.numerator}
             from endpoint_attempts a where a.webhook_id = h.webhook_id and a.hour >= ${since})
      order by h.webhook_id
      for no key update of h
    ),
    recorded as (
      update deliveries d set
        status = s.status, attempts = s.attempts, cycle_attempts = s."cycleAttempts",
        cycle_started_at = s."cycleStartedAt", next_attempt_at = null, locked_until = null,
        first_attempted_at = s."firstAttemptedAt", response_code = s."responseCode",
        response_excerpt = s."responseExcerpt", last_error = null, delivered_at = s."deliveredAt", failed_at = null
      from success s
      join own on own.id = s.id and own.locked_until = s."lockedUntil"
      join well on well.webhook_id = own.webhook_id
      where d.id = s.id
      returning d.id, d.webhook_id, own.locked_until, s.counts
    ),
    counted as (
      insert into endpoint_attempts as a (webhook_id, hour, finished, failed)
      select webhook_id, ${hour}, count(*), 0 from recorded where counts group by webhook_id order by webhook_id
      on conflict (webhook_id, hour) do update set finished = a.finished + excluded.finished
    )
    select id, locked_until from recorded`
}
