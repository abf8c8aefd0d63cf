import type { Sql } from '../../shared/db/connect.ts'
import { listWebhookEvents, type WebhookEvent } from '../../shared/db/webhooks/api/webhook-events.ts'
import type { Tenant } from '../../shared/domain/tenant.ts'
import { presentEnvelope } from '../../shared/domain/webhook-envelope.ts'
import { type EventStream, eventFrame } from './event-stream.ts'
import { createOrderedFeed } from './ordered-feed.ts'
import type { StreamIds } from './stream-ids.ts'

/** The streams of `GET /v1/webhooks/listen`. */
export type WebhookFeed = {
  /** Sends a tenant's events after a number that have been published, then every one that will be. */
  readonly follow: (follower: { stream: EventStream; tenant: Tenant; after: number }) => Promise<void>
  /** Begins after this number: nothing before it will be published. */
  readonly start: (seq: number) => void
  /** Sends what happened since it was last called, up to a number; what fails half-way goes on there the next time. */
  readonly publish: (upTo: number) => Promise<void>
}

type Deps = { readonly sql: Sql; readonly ids: StreamIds; readonly maxUnreadBytes: number }

/** Events read in one statement, for all streams or for one that catches up. */
const BATCH_EVENTS = 1000

/** Of their data. A charge with all that it may carry is 100 kB, so their number alone bounds nothing. */
const BATCH_BYTES = 256 * 1024

/** Makes the feed; every stream gets every webhook event of its tenant once, as the envelope a webhook would get. */
export function createWebhookFeed({ sql, ids, maxUnreadBytes }: Deps): WebhookFeed {
  const feed = createOrderedFeed<Tenant, WebhookEvent>({
    list: ({ scope, ...range }) =>
      listWebhookEvents(sql, { ...range, maxBytes: BATCH_BYTES, tenants: [scope] }),
    frameOf: (event) =>
      eventFrame({ name: event.type, id: ids.ofEvent(event.seq), data: presentEnvelope(event) }),
    maxUnreadBytes,
  })

  async function publishBatch(upTo: number): Promise<void> {
    const tenants = feed.scopes()
    if (tenants.length === 0) return feed.advance(upTo)
    const after = feed.position()
    const batch = { after, upTo, limit: BATCH_EVENTS, maxBytes: BATCH_BYTES, tenants }
    const { events, isWhole } = await listWebhookEvents(sql, batch)
    for (const event of events) feed.deliver(event, (scope) => isOf(scope, event))
    feed.advance(isWhole ? upTo : (events.at(-1)?.seq ?? upTo))
  }

  return {
    follow: ({ tenant, ...follower }) => feed.follow({ ...follower, scope: tenant }),
    start: feed.advance,
    publish: async (upTo) => {
      while (feed.position() < upTo) await publishBatch(upTo)
    },
  }
}

function isOf(tenant: Tenant, event: WebhookEvent): boolean {
  return tenant.organizationId === event.organizationId && tenant.environment === event.environment
}
