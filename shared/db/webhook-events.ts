import type { WebhookEventType } from '../domain/event.ts'
import type { Environment } from '../domain/networks.ts'
import type { Db } from './connect.ts'
import type { WebhookTenant } from './webhooks.ts'

/** A numbered event that webhooks can receive, with all that its envelope says. */
export type WebhookEvent = {
  readonly seq: number
  /** `evt_…` */
  readonly id: string
  readonly type: WebhookEventType
  readonly organizationId: string
  readonly environment: Environment
  /** JSON text. */
  readonly data: string
  readonly createdAt: Date
}

/**
 * Lists the first webhook events of some tenants with `after` < seq ≤ `upTo`, in order, none older than 24 hours.
 *
 * Reads every event in that range: the caller keeps it narrow.
 *
 * @param input.limit - `null` for all
 * @see decisions 3.12, 6.9
 */
export async function listWebhookEvents(
  db: Db,
  input: { after: number; upTo: number; limit: number | null; tenants: readonly WebhookTenant[] },
): Promise<readonly WebhookEvent[]> {
  const { after, upTo, limit, tenants } = input
  return await db<WebhookEvent[]>`
    select seq, id, type, organization_id, environment, data, created_at from events
    where seq > ${after} and seq <= ${upTo} and category in ('payments', 'webhooks')
      and created_at > now() - interval '24 hours'
      and (organization_id, environment) in (
        select * from unnest(${tenants.map(({ organizationId }) => organizationId)}::text[],
          ${tenants.map(({ environment }) => environment)}::text[]))
    order by seq limit ${limit}`
}
