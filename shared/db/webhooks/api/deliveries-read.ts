import type { DeliveryStatus } from '../../../domain/delivery.ts'
import type { EventType } from '../../../domain/event.ts'
import type { Environment } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

export type ListedDelivery = {
  /** The number of the delivery's event. Newer events have higher numbers. */
  readonly number: number
  /** `dl_…` */
  readonly id: string
  readonly event: EventType
  /** `evt_…` */
  readonly eventId: string
  readonly chargeId: string | null
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly responseCode: number | null
  readonly createdAt: Date
  readonly nextRetryAt: Date | null
  readonly deliveredAt: Date | null
}

export type DeliveryListing = {
  readonly webhookId: string
  readonly environment: Environment
  readonly status: DeliveryStatus | null
  readonly event: EventType | null
  /** Event number below which the page begins; `null` for the first page. */
  readonly below: number | null
  readonly limit: number
  /** Maximum deliveries that the page scans, because a filter might match no delivery among millions. */
  readonly maxScanned: number
}

/** A page. The next page begins below `next`, which is `null` on the last page. */
export type ListedDeliveries = { readonly page: readonly ListedDelivery[]; readonly next: number | null }

/**
 * Lists the deliveries of a webhook in one environment, newest first. A webhook for both environments has deliveries of
 * both, but a key may see only its own environment's deliveries.
 */
export async function listDeliveries(db: Db, listing: DeliveryListing): Promise<ListedDeliveries> {
  const { environment, status, event, limit, maxScanned } = listing
  const found = await db<ListedDelivery[]>`
    select ${deliveryColumns(db)}
    from (${scanned(db, listing)} limit ${maxScanned}) d
    join events e on e.number = d.event_number
    where e.environment = ${environment} and (${status}::text is null or d.status = ${status})
      and (${event}::text is null or e.type = ${event})
    order by d.event_number desc
    limit ${limit + 1}`
  const page = found.slice(0, limit)
  if (found.length > limit) return { page, next: page.at(-1)?.number ?? null }
  const [last] = await db<{ number: number }[]>`
    select d.event_number as number from (${scanned(db, listing)} offset ${maxScanned - 1} limit 1) d`
  return { page, next: last?.number ?? null }
}

function scanned(db: Db, { webhookId, below }: DeliveryListing) {
  return db`
    select * from deliveries
    where webhook_id = ${webhookId} and (${below}::int8 is null or event_number < ${below})
    order by event_number desc`
}

/** Finds a delivery of a webhook in this environment; `null` if none exists. */
export async function findDelivery(
  db: Db,
  { webhookId, environment, id }: { webhookId: string; environment: Environment; id: string },
): Promise<ListedDelivery | null> {
  const [row] = await db<[ListedDelivery?]>`
    select ${deliveryColumns(db)} from deliveries d join events e on e.number = d.event_number
    where d.public_id = ${id} and d.webhook_id = ${webhookId} and e.environment = ${environment}`
  return row ?? null
}

function deliveryColumns(db: Db) {
  return db`d.event_number as number, d.public_id as id, e.type as event, e.id as event_id, d.charge_id, d.status,
    d.attempts, d.response_code, d.created_at, d.next_attempt_at as next_retry_at, d.delivered_at`
}
