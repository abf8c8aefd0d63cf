import type { DeliveryStatus } from '../../../domain/delivery.ts'
import type { EventCategory, EventType } from '../../../domain/event.ts'
import type { Environment } from '../../../domain/networks.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import type { Db } from '../../connect.ts'
import { assignFrom, columnsOf, toColumns, toRowSet } from '../../rows.ts'

export type DueEndpoint = {
  readonly webhookId: string
  readonly isDeleted: boolean
  /** Whether the last attempt at this endpoint failed. */
  readonly isFailing: boolean
}

export type DeliveryProgress = {
  readonly status: DeliveryStatus
  readonly attempts: number
  /** Attempts of the current cycle. A manual retry starts a new cycle. */
  readonly cycleAttempts: number
  /** Start of the cycle's first attempt; `null` before that attempt. */
  readonly cycleStartedAt: Date | null
  readonly nextAttemptAt: Date | null
  /** End of the first attempt of all cycles. */
  readonly firstAttemptedAt: Date | null
  readonly responseCode: number | null
  readonly responseExcerpt: string | null
  readonly lastError: string | null
  readonly deliveredAt: Date | null
  readonly failedAt: Date | null
}

/** An attempt's claim on a delivery, valid as long as the row has the same `leasedUntil`. */
export type Lease = { readonly id: number; readonly leasedUntil: Date }

/** Returns a key that also distinguishes different leases of one delivery. */
export function leaseKey({ id, leasedUntil }: Lease): string {
  return `${id} until ${leasedUntil.getTime()}`
}

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
 * Lists endpoints with due deliveries, in the order of their ids, after one id and up to another.
 *
 * Uses a loose index scan over `deliveries_due`: one step per endpoint, regardless of the number of its deliveries. If
 * no delivery is due, one lookup in `deliveries_soonest` detects this, even if many endpoints wait for a retry.
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
 * Ends at most 10,000 pending deliveries of a deleted webhook, earliest due first. They were inserted while the
 * deletion was committed, or exceeded the limit of an earlier call.
 */
export async function failDeliveriesOfDeletedWebhook(
  db: Db,
  { webhookId, at }: { webhookId: string; at: Date },
): Promise<void> {
  await db`select fail_deliveries(${webhookId}, ${at})`
}

/**
 * Locks the deliveries that still have the given leases, in the order of their ids. The result lacks deliveries that
 * have ended or have another lease, and deliveries of deleted webhooks.
 */
export async function lockLeasedDeliveries(
  db: Db,
  leases: readonly Lease[],
): Promise<readonly (DeliveryRow & Lease)[]> {
  return await db<(DeliveryRow & Lease)[]>`
    select ${deliveryColumns(db)}, d.leased_until
    from jsonb_to_recordset(${db.json(leases as never)}) as l (id int8, "leasedUntil" timestamptz)
    join deliveries d on d.id = l.id and d.status = 'pending' and d.leased_until = l."leasedUntil"
    join events e on e.number = d.event_number
    join webhooks w on w.id = d.webhook_id and w.deleted_at is null
    order by d.id
    for no key update of d`
}

/**
 * Locks a delivery of a tenant's webhook that is not deleted; `null` if there is none, or an attempt is in flight.
 *
 * A delivery with an attempt in flight is not locked. Otherwise the caller, which processes several requests in the
 * order of their creation, and `lockLeasedDeliveries` could wait for each other.
 */
export async function lockIdleDelivery(
  db: Db,
  { tenant, publicId, now }: { tenant: Tenant; publicId: string; now: Date },
): Promise<DeliveryRow | null> {
  const [row] = await db<DeliveryRow[]>`
    select ${deliveryColumns(db)} ${ofTenant(db, { tenant, publicId })}
      and (d.leased_until is null or d.leased_until <= ${now})
    for no key update of d`
  return row ?? null
}

/** Returns whether a tenant has this delivery, to a webhook that is not deleted. */
export async function hasDelivery(
  db: Db,
  of: { readonly tenant: Tenant; readonly publicId: string },
): Promise<boolean> {
  const rows = await db`select ${ofTenant(db, of)}`
  return rows.length > 0
}

function ofTenant(db: Db, { tenant, publicId }: { readonly tenant: Tenant; readonly publicId: string }) {
  return db`
    from deliveries d
    join events e on e.number = d.event_number
    join webhooks w on w.id = d.webhook_id
    where d.public_id = ${publicId} and w.organization_id = ${tenant.organizationId}
      and e.environment = ${tenant.environment} and w.deleted_at is null`
}

/** Updates the mutable fields of deliveries and ends their leases. The caller must hold their locks. */
export async function updateDeliveries(
  db: Db,
  deliveries: readonly (DeliveryProgress & { readonly id: number })[],
): Promise<void> {
  await db`
    update deliveries d set ${assignFrom<DeliveryProgress>(db, 'u', PROGRESS_FIELDS)}, leased_until = null
    from ${toRowSet(db, 'deliveries', { rows: deliveries })} u
    where d.id = u.id`
}

/**
 * Inserts the delivery of an event to one endpoint that might not be subscribed to the event. Has no effect if the
 * endpoint is deleted, or if a delivery with this id exists.
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

/**
 * Deletes deliveries that were created before a time, among the `limit` oldest finished deliveries. Returns the
 * number of deletions.
 */
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

/** Returns SQL for the select list of a delivery `d`, its event `e` and its webhook `w`. */
function deliveryColumns(db: Db) {
  return db`
    d.id, d.webhook_id, w.url, w.organization_id, e.environment, e.category, e.type, d.charge_id,
    ${progressColumns(db, 'd')}`
}

const PROGRESS_FIELDS = [
  ...([
    'status',
    'attempts',
    'cycleAttempts',
    'cycleStartedAt',
    'nextAttemptAt',
    'firstAttemptedAt',
  ] as const),
  ...(['responseCode', 'responseExcerpt', 'lastError', 'deliveredAt', 'failedAt'] as const),
]

export function progressColumns(db: Db, alias: string) {
  return db`${db(columnsOf(alias, toColumns<DeliveryProgress>(PROGRESS_FIELDS)))}`
}
