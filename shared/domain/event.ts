/**
 * Category of an event. Webhooks can subscribe to `payments` and `webhooks`. Events of the other categories are sent
 * only to streams of the API, except `webhook.test`, which is sent to one webhook.
 */
export type EventCategory = 'payments' | 'webhooks' | 'internal' | 'distributions'

/**
 * Every event and its category. CONTRIBUTING.md ("Add an event type") lists everything that a new event needs.
 *
 * `charge.updated` notifies streams of a change of the charge that did not change its status (decisions 3.12). A charge
 * can have several refunds, and each has events of its own. `webhook.test` goes only to the requested endpoint,
 * regardless of its subscriptions.
 *
 * @see specification, "Events"
 */
export const EVENT_CATEGORY = {
  'charge.created': 'payments',
  'charge.partially_paid': 'payments',
  'charge.confirmed': 'payments',
  'charge.expired': 'payments',
  'charge.underpaid': 'payments',
  'charge.settled': 'payments',
  'charge.settlement_failed': 'payments',
  'charge.overpaid': 'payments',
  'charge.escrow_released': 'payments',
  'charge.escrow_refunded': 'payments',
  'charge.refund_declared': 'payments',
  'charge.refund_claimed': 'payments',
  'charge.refund_approved': 'payments',
  'charge.refunded': 'payments',
  'charge.refund_expired': 'payments',
  'webhook.delivery_failed': 'webhooks',
  'webhook.delivery_recovered': 'webhooks',
  'webhook.endpoint_unhealthy': 'webhooks',
  'charge.updated': 'internal',
  'webhook.test': 'internal',
  'distribution.available': 'distributions',
  'distribution.claimed': 'distributions',
} as const satisfies Record<string, EventCategory>

export type EventType = keyof typeof EVENT_CATEGORY

export const EVENT_TYPES = Object.keys(EVENT_CATEGORY) as EventType[]

export const WEBHOOK_EVENT_CATEGORIES = ['payments', 'webhooks'] as const

export type WebhookEventCategory = (typeof WEBHOOK_EVENT_CATEGORIES)[number]

/** An event to which webhooks can subscribe. */
export type WebhookEventType = {
  [Type in EventType]: (typeof EVENT_CATEGORY)[Type] extends WebhookEventCategory ? Type : never
}[EventType]

export const WEBHOOK_EVENT_TYPES: readonly WebhookEventType[] = EVENT_TYPES.filter(isWebhookEventType)

export function isWebhookEventType(type: EventType): type is WebhookEventType {
  const category: EventCategory = EVENT_CATEGORY[type]
  return category === 'payments' || category === 'webhooks'
}
