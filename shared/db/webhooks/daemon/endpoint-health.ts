import type { Db } from '../../connect.ts'
import { assignFrom, toRowSet } from '../../rows.ts'

/** Health of an endpoint: the states of `machines/endpoint-health.ts`, and the result of the last attempt. */
export type EndpointHealth = {
  readonly webhookId: string
  readonly failureLevel: 'low' | 'high'
  readonly recoveryNotice: 'none' | 'pending'
  /** Whether the last attempt failed. */
  readonly isFailing: boolean
}

/** Finished attempts of an endpoint, and how many of them failed. */
export type AttemptCount = { readonly webhookId: string; readonly finished: number; readonly failed: number }

/** Locks the health of these endpoints in the order of their ids. Inserts missing rows first. */
export async function lockEndpointHealth(
  db: Db,
  webhookIds: readonly string[],
): Promise<readonly EndpointHealth[]> {
  const ids = [...webhookIds].sort()
  const select = () => db<EndpointHealth[]>`
    select webhook_id, failure_level, recovery_notice, is_failing from endpoint_health where webhook_id = any (${ids})
    order by webhook_id for no key update`
  const found = await select()
  if (found.length === ids.length) return found
  await db`
    insert into endpoint_health (webhook_id) select unnest(${ids}::text[]) order by 1
    on conflict (webhook_id) do nothing`
  return await select()
}

/** Sums the attempts of these endpoints that finished in the hour `since` or later. */
export async function sumAttempts(
  db: Db,
  { webhookIds, since }: { webhookIds: readonly string[]; since: Date },
): Promise<readonly AttemptCount[]> {
  return await db<AttemptCount[]>`
    select webhook_id, sum(finished)::int8 as finished, sum(failed)::int8 as failed
    from endpoint_attempts where webhook_id = any (${[...webhookIds]}) and hour >= ${since}
    group by webhook_id`
}

/** Adds finished attempts to the buckets of an hour. The caller must hold the locks on the endpoints' health. */
export async function addAttempts(
  db: Db,
  { counts, hour }: { counts: readonly AttemptCount[]; hour: Date },
): Promise<void> {
  if (counts.length === 0) return
  await db`
    insert into endpoint_attempts as a (webhook_id, hour, finished, failed)
    select c."webhookId", ${hour}, c.finished, c.failed
    from jsonb_to_recordset(${db.json(counts as never)}) as c ("webhookId" text, finished int, failed int)
    on conflict (webhook_id, hour) do update set
      finished = a.finished + excluded.finished, failed = a.failed + excluded.failed`
}

/** Updates the health of endpoints that the caller has locked. */
export async function updateEndpointHealth(db: Db, endpoints: readonly EndpointHealth[]): Promise<void> {
  if (endpoints.length === 0) return
  await db`
    update endpoint_health h
    set ${assignFrom<EndpointHealth>(db, 'u', ['failureLevel', 'recoveryNotice', 'isFailing'])}
    from ${toRowSet(db, 'endpoint_health', { rows: endpoints })} u
    where h.webhook_id = u.webhook_id`
}

/** Deletes the buckets of the hours before a time. */
export async function deleteOldAttempts(db: Db, before: Date): Promise<void> {
  await db`delete from endpoint_attempts where hour < ${before}`
}
