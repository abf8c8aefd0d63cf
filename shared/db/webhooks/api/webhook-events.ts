import type { WebhookEventType } from '../../../domain/event.ts'
import type { Environment } from '../../../domain/networks.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import type { Db } from '../../connect.ts'

/** A numbered event that webhooks can receive, with the fields of its envelope. */
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

/** The first events of a range, and whether they are all events of the range. */
export type WebhookEventBatch = { readonly events: readonly WebhookEvent[]; readonly isWhole: boolean }

/**
 * Lists the first webhook events of the given tenants with `after` < seq ≤ `upTo`, in order, none older than 24 hours.
 *
 * Reads every event in that range, so the caller must keep the range small. Data beyond `maxBytes` never leaves the
 * database, except that the first event is always listed.
 */
export async function listWebhookEvents(
  db: Db,
  input: {
    readonly after: number
    readonly upTo: number
    readonly limit: number
    readonly maxBytes: number
    readonly tenants: readonly Tenant[]
  },
): Promise<WebhookEventBatch> {
  const { after, upTo, limit, maxBytes, tenants } = input
  const events = await db<(WebhookEvent & { isWhole: boolean })[]>`
    select seq, id, type, organization_id, environment, data, created_at, found = count(*) over () as is_whole
    from (
      select *, row_number() over listed as place, sum(octet_length(data)) over listed as bytes,
        count(*) over () as found
      from (
        select seq, id, type, organization_id, environment, data, created_at from events
        where seq > ${after} and seq <= ${upTo} and category in ('payments', 'webhooks')
          and created_at > now() - interval '24 hours'
          and (organization_id, environment) in (
            select * from unnest(${tenants.map(({ organizationId }) => organizationId)}::text[],
              ${tenants.map(({ environment }) => environment)}::text[]))
        order by seq limit ${limit + 1}
      ) page
      window listed as (order by seq)
    ) sized
    where place <= ${limit} and (place = 1 or bytes <= ${maxBytes})
    order by seq`
  return { events, isWhole: events[0]?.isWhole ?? true }
}
