import type { Db } from '../../connect.ts'
import type { DeliveryProgress, Lease } from './deliveries.ts'

/** A delivery after an attempt with a 2xx response, and the lease of that attempt. */
export type SuccessfulDelivery = Omit<DeliveryProgress, 'nextAttemptAt' | 'lastError' | 'failedAt'> & {
  readonly id: number
  readonly webhookId: string
  readonly leasedUntil: Date
  /** Whether the attempt counts for its endpoint's health. */
  readonly counts: boolean
}

type Terms = {
  /** The hour in which the attempts are counted, and the first hour that the failure ratio covers. */
  readonly hour: Date
  readonly since: Date
  /** Minimum finished attempts for a failure ratio. */
  readonly leastFinished: number
  /** Share of failed attempts above which an endpoint is unhealthy. */
  readonly threshold: { readonly numerator: number; readonly denominator: number }
}

/**
 * Records successes that do not change their endpoints' health, ends their leases, and counts the attempts, in one
 * statement. Returns the leases of the recorded successes.
 *
 * A success does not change the health if the endpoint is healthy, its last attempt succeeded, and it has at least
 * `leastFinished` attempts with a failure ratio within the threshold. With fewer attempts, this statement could
 * overlook failures that another transaction records concurrently: its snapshot lacks their counts, and they do not
 * change the failure level yet. Other successes are not recorded, nor are successes whose lease the row no longer has.
 *
 * Locks deliveries and then the endpoints' health, each in the order of their ids, as `recordAttempts` and the deletion
 * of a webhook do, to avoid deadlocks. The health is locked, so that no failure is evaluated without the counts of
 * these successes.
 */
export async function updateSuccesses(
  db: Db,
  successes: readonly SuccessfulDelivery[],
  { hour, since, leastFinished, threshold }: Terms,
): Promise<readonly Lease[]> {
  return await db<Lease[]>`
    with success as materialized (
      select id, "webhookId", "leasedUntil", counts, status, attempts, "cycleAttempts", "cycleStartedAt",
        "firstAttemptedAt", "responseCode", "responseExcerpt", "deliveredAt"
      from jsonb_to_recordset(${db.json(successes as never)}) as s (id int8, "webhookId" text,
        "leasedUntil" timestamptz, counts boolean, status text, attempts int, "cycleAttempts" int,
        "cycleStartedAt" timestamptz, "firstAttemptedAt" timestamptz, "responseCode" int, "responseExcerpt" text,
        "deliveredAt" timestamptz)
    ),
    own as materialized (
      select d.id, d.webhook_id, d.leased_until from (select id, "leasedUntil" from success order by id) s
      -- Finds each row by its id. With a join, or with a condition on the status, PostgreSQL reads all pending
      -- deliveries if its statistics show only a few.
      cross join lateral (
        select p.id, p.webhook_id, p.leased_until from deliveries p
        where p.id = s.id and p.leased_until = s."leasedUntil"
        for no key update
      ) d
    ),
    well as materialized (
      select h.webhook_id from endpoint_health h
      where h.webhook_id = any (array(select distinct webhook_id from own))
        and h.failure_level = 'low' and h.recovery_notice = 'none' and not h.is_failing
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
        cycle_started_at = s."cycleStartedAt", next_attempt_at = null, leased_until = null,
        first_attempted_at = s."firstAttemptedAt", response_code = s."responseCode",
        response_excerpt = s."responseExcerpt", last_error = null, delivered_at = s."deliveredAt", failed_at = null
      from success s
      join own on own.id = s.id and own.leased_until = s."leasedUntil"
      join well on well.webhook_id = own.webhook_id
      where d.id = s.id
      returning d.id, d.webhook_id, own.leased_until, s.counts
    ),
    counted as (
      insert into endpoint_attempts as a (webhook_id, hour, finished, failed)
      select webhook_id, ${hour}, count(*), 0 from recorded where counts group by webhook_id order by webhook_id
      on conflict (webhook_id, hour) do update set finished = a.finished + excluded.finished
    )
    select id, leased_until from recorded`
}
