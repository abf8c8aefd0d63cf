import type { Sql } from '../../shared/db/connect.ts'

/** An event that an endpoint must receive, and the status of its delivery; `null` if no delivery was created. */
export type OwedEvent = { readonly id: string; readonly status: string | null }

/**
 * Lists the events that endpoints must receive. The endpoints must be subscribed to all events. Starts from the events
 * and not from the deliveries, because an event without a delivery would otherwise never be missed.
 */
export async function listOwedEvents(sql: Sql): Promise<readonly OwedEvent[]> {
  return await sql<OwedEvent[]>`
    select e.id, d.status from webhooks w
    join events e on e.organization_id = w.organization_id and e.created_at >= w.created_at
      and e.category in ('payments', 'webhooks') and (w.environment is null or w.environment = e.environment)
    left join deliveries d on d.event_number = e.number and d.webhook_id = w.id
    order by e.number`
}
