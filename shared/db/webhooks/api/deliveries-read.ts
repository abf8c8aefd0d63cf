import type { DeliveryStatus } from '../../../domain/delivery.ts'
import type { EventType } from '../../../domain/event.ts'
import type { Environment } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** A delivery as lists show it. */
export type ListedDelivery = {
  /** Its event's; newer ones have higher numbers. */
  readonly number: number
  /** `dl_…` */
  readonly id: string
  readonly event: EventType
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly responseCode: number | null
  readonly createdAt: Date
  readonly nextRetryAt: Date | null
  readonly deliveredAt: Date | null
}

/**
 * Lists the deliveries of a webhook in one environment, newest first, below the number where the last page ended.
 *
 * A webhook for both environments has those of both; a key sees its own alone.
 */
export async function listDeliveries(
  db: Db,
  page: { webhookId: string; environment: Environment; below: number | null; limit: number },
): Promise<readonly ListedDelivery[]> {
  return await db<ListedDelivery[]>`
    ${selectDeliveries(db)}
    where d.webhook_id = ${page.webhookId} and e.environment = ${page.environment}
      and (${page.below}::int8 is null or d.event_number < ${page.below})
    order by d.event_number desc
    limit ${page.limit}`
}

/** Finds a delivery that a webhook has in this environment, or `null`. */
export async function findDelivery(
  db: Db,
  { webhookId, environment, id }: { webhookId: string; environment: Environment; id: string },
): Promise<ListedDelivery | null> {
  const [row] = await db<[ListedDelivery?]>`
    ${selectDeliveries(db)}
    where d.public_id = ${id} and d.webhook_id = ${webhookId} and e.environment = ${environment}`
  return row ?? null
}

function selectDeliveries(db: Db) {
  return db`
    select d.event_number as number, d.public_id as id, e.type as event, d.status, d.attempts, d.response_code, d.created_at,
      d.next_attempt_at as next_retry_at, d.delivered_at
    from deliveries d
    join events e on e.number = d.event_number`
}
