import type { DeliveryStatus } from '../../../domain/delivery.ts'
import type { EventCategory, EventType } from '../../../domain/event.ts'
import type { Environment } from '../../../domain/networks.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import type { Db } from '../../connect.ts'

/** An endpoint to which something is due. */
export type DueEndpoint = {
  readonly webhookId: string
  readonly isDeleted: boolean
  /** Its last attempt failed. */
  readonly isFailing: boolean
}

/** What moves in a delivery's life. */
export type DeliveryProgress = {
  readonly status: DeliveryStatus
  readonly attempts: number
  /** Of the current cycle; a manual retry starts a fresh one. */
  readonly cycleAttempts: number
  /** When the cycle's first attempt began; `null` before it. */
  readonly cycleStartedAt: Date | null
  readonly nextAttemptAt: Date | null
  /** When the very first attempt had finished. */
  readonly firstAttemptedAt: Date | null
  readonly responseCode: number | null
  readonly responseExcerpt: string | null
  readonly lastError: string | null
  readonly deliveredAt: Date | null
  readonly failedAt: Date | null
}

/** An attempt's hold on a delivery: its own for as long as the row says so. One delivery may be attempted under two. */
export type Lease = { readonly id: number; readonly lockedUntil: Date }

/** Tells leases from each other, also those of one delivery. */
export function leaseKey({ id, lockedUntil }: Lease): string {
  return `${id} until ${lockedUntil.getTime()}`
}

/** A delivery with what its turn needs to know of event and endpoint. */
export type DeliveryRow = DeliveryProgress & {
  readonly id: number
  readonly webhookId: string
  readonly url: string
  readonly organizationId: string
  readonly environment: Environment
  readonly category: EventCategory
  readonly type: EventType
  readonly chargeId: string | null
}

/**
 * Lists endpoints to which something is due, in the order of their ids, after one id and up to another.
 *
 * A loose index scan over `deliveries_due`: one step per endpoint, however many deliveries it has waiting. When nothing
 * at all is due, one look at `deliveries_soonest` says so, however many endpoints wait for a retry.
 */
export async function listDueEndpoints(
  db: Db,
  { after, upTo, now, limit }: { after: string; upTo: string | null; now: Date; limit: number },
): Promise<readonly DueEndpoint[]> {
  return await db<DueEndpoint[]>`
    with recursive endpoints as (
      (select webhook_id, 1 as step from deliveries
       where status = 'pending' and webhook_id > ${after} and next_attempt_at <= ${now}
         and (select min(next_attempt_at at time zone 'UTC') from deliveries where status = 'pending')
             <= ${now}::timestamptz at time zone 'UTC'
       order by webhook_id limit 1)
      union all
      select n.webhook_id, e.step + 1
      from endpoints e
      cross join lateral (
        select webhook_id from deliveries
        where status = 'pending' and webhook_id > e.webhook_id and next_attempt_at <= ${now}
        order by webhook_id limit 1) n
      where e.step < ${limit}
    )
    select e.webhook_id, w.deleted_at is not null as is_deleted, coalesce(h.is_failing, false) as is_failing
    from endpoints e
    join webhooks w on w.id = e.webhook_id
    left join endpoint_health h on h.webhook_id = e.webhook_id
    where ${upTo}::text is null or e.webhook_id <= ${upTo}
    order by e.webhook_id`
}

/**
 * Ends at most 10,000 deliveries of a deleted webhook that are pending, those due first: what was inserted while the
 * deletion was committed, or was more than that may end at once.
 */
export async function closeDeliveries(
  db: Db,
  { webhookId, at }: { webhookId: string; at: Date },
): Promise<void> {
  await db`select close_deliveries(${webhookId}, ${at})`
}

/**
 * Locks those of these deliveries whose lease is still the one given, in the order of their ids.
 *
 * What is missing in the answer was taken away meanwhile: its lease ran out, or its webhook was deleted.
 */
export async function lockLeasedDeliveries(
  db: Db,
  leases: readonly Lease[],
): Promise<readonly (DeliveryRow & Lease)[]> {
  return await db<(DeliveryRow & Lease)[]>`
    select ${deliveryColumns(db)}, d.locked_until
    from jsonb_to_recordset(${db.json(leases as never)}) as l (id int8, "lockedUntil" timestamptz)
    join deliveries d on d.id = l.id and d.status = 'pending' and d.locked_until = l."lockedUntil"
    join events e on e.number = d.event_number
    join webhooks w on w.id = d.webhook_id and w.deleted_at is null
    order by d.id
    for no key update of d`
}

/** Locks a delivery of a tenant's webhook that is not deleted, unless an attempt is under way. */
export async function lockRestingDelivery(
  db: Db,
  { tenant, publicId, now }: { tenant: Tenant; publicId: string; now: Date },
): Promise<DeliveryRow | null> {
  const [row] = await db<DeliveryRow[]>`
    select ${deliveryColumns(db)}
    from deliveries d
    join events e on e.number = d.event_number
    join webhooks w on w.id = d.webhook_id
    where d.public_id = ${publicId} and w.organization_id = ${tenant.organizationId}
      and e.environment = ${tenant.environment} and w.deleted_at is null and (d.locked_until is null or d.locked_until <= ${now})
    for no key update of d`
  return row ?? null
}

/** Writes all that moves of deliveries, and ends their leases; the caller holds their locks. */
export async function updateDeliveries(
  db: Db,
  deliveries: readonly (DeliveryProgress & { readonly id: number })[],
): Promise<void> {
  await db`
    update deliveries d set
      status = u.status, attempts = u.attempts, cycle_attempts = u."cycleAttempts",
      cycle_started_at = u."cycleStartedAt", next_attempt_at = u."nextAttemptAt", locked_until = null,
      first_attempted_at = u."firstAttemptedAt", response_code = u."responseCode",
      response_excerpt = u."responseExcerpt", last_error = u."lastError", delivered_at = u."deliveredAt",
      failed_at = u."failedAt"
    from jsonb_to_recordset(${db.json(deliveries as never)}) as u (id int8, status text, attempts int,
      "cycleAttempts" int, "cycleStartedAt" timestamptz, "nextAttemptAt" timestamptz,
      "firstAttemptedAt" timestamptz, "responseCode" int, "responseExcerpt" text, "lastError" text,
      "deliveredAt" timestamptz, "failedAt" timestamptz)
    where d.id = u.id`
}

/**
 * Inserts the delivery of an event to one endpoint that it was not matched with, and that is not deleted.
 *
 * Does nothing if there is a delivery of that id.
 */
export async function insertDelivery(
  db: Db,
  delivery: { id: string; webhookId: string; eventId: string; createdAt: Date },
): Promise<void> {
  await db`
    insert into deliveries (public_id, webhook_id, event_number, created_at)
    select ${delivery.id}, w.id, e.number, ${delivery.createdAt} from webhooks w, events e
    where w.id = ${delivery.webhookId} and w.deleted_at is null and e.id = ${delivery.eventId}
    on conflict (public_id) do nothing`
}

/** Forgets those of the `limit` oldest deliveries that are over that were made before a moment; answers how many. */
export async function deleteOldDeliveries(
  db: Db,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { count } = await db`
    delete from deliveries where id in (
      select id from (
        select id, created_at from deliveries where status <> 'pending' order by id limit ${limit}) oldest
      where created_at < ${before})
    and status <> 'pending'`
  return count
}

/** The select list of a delivery `d`, its event `e` and its webhook `w`. */
function deliveryColumns(db: Db) {
  return db`
    d.id, d.webhook_id, w.url, w.organization_id, e.environment, e.category, e.type, d.charge_id, d.status,
    d.attempts, d.cycle_attempts, d.cycle_started_at, d.next_attempt_at, d.first_attempted_at, d.response_code,
    d.response_excerpt, d.last_error, d.delivered_at, d.failed_at`
}
