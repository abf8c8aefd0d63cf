import type { Sql } from '../../shared/db/connect.ts'
import { listWebhookEvents, type WebhookEvent } from '../../shared/db/webhook-events.ts'
import type { WebhookTenant } from '../../shared/db/webhooks.ts'
import { presentEnvelope } from '../../shared/domain/webhook-envelope.ts'
import { type EventStream, eventFrame } from './event-stream.ts'
import { createOrderedFeed } from './ordered-feed.ts'

/** The streams of `GET /v1/webhooks/listen`. */
export type WebhookFeed = {
  /**
   * Sends a tenant's events after `after` that this process has already seen, then every one that comes.
   *
   * @param follower.upTo - the last number this process has seen
   */
  readonly follow: (follower: {
    stream: EventStream
    tenant: WebhookTenant
    after: number
    upTo: number
  }) => Promise<void>
  /** Sends what happened between two numbers, the second included. */
  readonly publish: (range: { after: number; upTo: number }) => Promise<void>
}

/** Makes the feed; every stream gets every webhook event of its tenant once, as the envelope a webhook would get. */
export function createWebhookFeed(sql: Sql): WebhookFeed {
  const feed = createOrderedFeed<WebhookTenant, WebhookEvent>({
    list: ({ scope, ...range }) => listWebhookEvents(sql, { ...range, tenants: [scope] }),
    frameOf: (event) => eventFrame({ name: event.type, id: event.seq, data: presentEnvelope(event) }),
  })
  return {
    follow: ({ tenant, ...follower }) => feed.follow({ ...follower, scope: tenant }),
    publish: async (range) => {
      const tenants = feed.scopes()
      if (tenants.length === 0 || range.upTo === range.after) return
      for (const event of await listWebhookEvents(sql, { ...range, tenants, limit: null })) {
        feed.deliver(event, (scope) => isOf(scope, event))
      }
    },
  }
}

function isOf(tenant: WebhookTenant, event: WebhookEvent): boolean {
  return tenant.organizationId === event.organizationId && tenant.environment === event.environment
}
