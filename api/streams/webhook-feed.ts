import type { Sql } from '../../shared/db/connect.ts'
import { listWebhookEvents, type WebhookEvent } from '../../shared/db/webhooks/api/webhook-events.ts'
import type { Tenant } from '../../shared/domain/tenant.ts'
import { presentEnvelope } from '../../shared/domain/webhook-envelope.ts'
import { type EventStream, eventFrame } from './event-stream.ts'
import { createOrderedFeed } from './ordered-feed.ts'
import type { StreamIds } from './stream-ids.ts'

/** The streams of `GET /v1/webhooks/listen`. */
export type WebhookFeed = {
  /** Sends the tenant's past events with numbers above `after`, then every new event. */
  readonly follow: (follower: { stream: EventStream; tenant: Tenant; after: number }) => Promise<void>
  /** Sets the number after which publishing starts. */
  readonly start: (seq: number) => void
  /** Sends the events since the last call, up to a number. After an error, the next call sends the remaining events. */
  readonly publish: (upTo: number) => Promise<void>
}

type Deps = { readonly sql: Sql; readonly ids: StreamIds; readonly maxUnreadBytes: number }

/**
 * Event numbers that one statement covers, for all streams. If the statement fails, the next turn must read its events
 * in addition to newer ones. Without this limit, a statement that times out would become slower with each turn.
 */
const BATCH_NUMBERS = 1000

/** Maximum bytes of event data per statement. One event can have 100 kB, so `BATCH_NUMBERS` is not enough. */
const BATCH_BYTES = 256 * 1024

/** Creates the feed. Every stream receives every webhook event of its tenant once, in the format of a delivery. */
export function createWebhookFeed({ sql, ids, maxUnreadBytes }: Deps): WebhookFeed {
  const feed = createOrderedFeed<Tenant, WebhookEvent>({
    list: ({ scope, ...range }) =>
      listWebhookEvents(sql, { ...range, maxBytes: BATCH_BYTES, tenants: [scope] }),
    frameOf: (event) =>
      eventFrame({ name: event.type, id: ids.ofEvent(event.seq), data: presentEnvelope(event) }),
    maxUnreadBytes,
  })

  async function publishBatch(lastSeq: number): Promise<void> {
    const tenants = feed.scopes()
    if (tenants.length === 0) return feed.advance(lastSeq)
    const after = feed.position()
    const upTo = Math.min(lastSeq, after + BATCH_NUMBERS)
    const batch = { after, upTo, limit: BATCH_NUMBERS, maxBytes: BATCH_BYTES, tenants }
    // Before the statement, which does not cover a tenant that opens its first stream in the meantime. That stream
    // catches up to this position by itself.
    feed.advance(upTo)
    const { events, isWhole } = await listWebhookEvents(sql, batch).catch((error: unknown) => {
      feed.advance(after)
      throw error
    })
    for (const event of events) feed.deliver(event, (scope) => isTenantEvent(scope, event))
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

function isTenantEvent(tenant: Tenant, event: WebhookEvent): boolean {
  return tenant.organizationId === event.organizationId && tenant.environment === event.environment
}
