import type { ListedDelivery } from '../../shared/db/webhooks/api/deliveries-read.ts'
import type { WebhookRow } from '../../shared/db/webhooks/webhooks.ts'
import type { WebhookSecret } from '../../shared/domain/webhook-secret.ts'

/** Returns the JSON of a webhook, without its secret. */
export function presentWebhook(webhook: WebhookRow) {
  return { ...presentFields(webhook), hint: webhook.secretHint }
}

/** Returns the JSON of a webhook with its new secret. */
export function presentWebhookWithSecret({
  webhook,
  secret,
}: {
  readonly webhook: Omit<WebhookRow, 'secretHint'>
  readonly secret: WebhookSecret
}) {
  return { ...presentFields(webhook), secret }
}

/** A delivery without its position in lists, which no response shows. */
export type PresentedDelivery = Omit<ListedDelivery, 'number' | 'eventId'> & {
  /** `null` for a test that the daemon has not created yet. */
  readonly eventId: string | null
}

/** Returns the JSON of a delivery. */
export function presentDelivery(delivery: PresentedDelivery) {
  const { id, event, eventId, chargeId, status, attempts, ...rest } = delivery
  const { responseCode, createdAt, nextRetryAt, deliveredAt } = rest
  return { id, event, eventId, chargeId, status, attempts, responseCode, createdAt, nextRetryAt, deliveredAt }
}

function presentFields(webhook: Omit<WebhookRow, 'secretHint'>) {
  const { id, url, events, eventCategories, excludeEvents, environment, createdAt } = webhook
  return { id, url, events, eventCategories, excludeEvents, environment, createdAt }
}
