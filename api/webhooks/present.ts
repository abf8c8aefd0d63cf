import type { ListedDelivery } from '../../shared/db/webhooks/api/deliveries-read.ts'
import type { WebhookRow } from '../../shared/db/webhooks/webhooks.ts'
import type { WebhookSecret } from '../../shared/domain/webhook-secret.ts'

/** Writes a webhook as lists show it. */
export function presentWebhook(webhook: WebhookRow) {
  return { ...presentFields(webhook), hint: webhook.secretHint }
}

/** Writes a webhook with the secret that it has from now on. */
export function presentWebhookWithSecret(webhook: Omit<WebhookRow, 'secretHint'>, secret: WebhookSecret) {
  return { ...presentFields(webhook), secret }
}

/** What of a delivery is shown; where it stands in lists is not. */
export type ShownDelivery = Omit<ListedDelivery, 'number' | 'eventId'> & {
  /** `null` of a test that the daemon has not made yet. */
  readonly eventId: string | null
}

/** Writes a delivery. */
export function presentDelivery(delivery: ShownDelivery) {
  const { id, event, eventId, chargeId, status, attempts, ...answered } = delivery
  const { responseCode, createdAt, nextRetryAt, deliveredAt } = answered
  return { id, event, eventId, chargeId, status, attempts, responseCode, createdAt, nextRetryAt, deliveredAt }
}

function presentFields(webhook: Omit<WebhookRow, 'secretHint'>) {
  const { id, url, events, eventCategories, excludeEvents, environment, createdAt } = webhook
  return { id, url, events, eventCategories, excludeEvents, environment, createdAt }
}
