import type { ClaimedDelivery } from '../../shared/db/webhooks/daemon/claim-deliveries.ts'
import { presentEnvelope } from '../../shared/domain/webhook-envelope.ts'
import { signAttempt } from '../../shared/domain/webhook-signature.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { AttemptOutcome } from './decide-delivery.ts'
import type { DecryptSecrets } from './decrypt-secrets.ts'
import type { PostWebhook } from './post-webhook.ts'
import { parseRetryAfter } from './retry-schedule.ts'

export type AttemptDeps = {
  readonly clock: Clock
  readonly post: PostWebhook
  readonly openSecrets: DecryptSecrets
}

const USER_AGENT = 'stablecoin-payment-service-webhooks/1'

/**
 * Signs a delivery's event, posts the event to the endpoint, and returns the outcome.
 *
 * @throws {Error} if the webhook's secret cannot be decrypted, or is malformed; the endpoint is not at fault
 */
export async function attemptDelivery(
  { clock, post, openSecrets }: AttemptDeps,
  delivery: ClaimedDelivery,
): Promise<AttemptOutcome> {
  const startedAt = clock()
  const secrets = openSecrets(delivery, startedAt)
  const { eventId: id, type, eventCreatedAt: createdAt, data } = delivery
  // Created once, because the signatures must cover the bytes that are sent.
  const body = Buffer.from(presentEnvelope({ id, type, createdAt, data }))
  const signatures = signAttempt({ id, body, timestamp: Math.floor(startedAt.getTime() / 1000) }, secrets)
  const headers = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'x-service-delivery': id,
    'x-service-event': type,
    ...signatures,
  }
  const { retryAfter, ...answer } = await post(delivery.url, { headers, body })
  const finishedAt = clock()
  return { ...answer, startedAt, finishedAt, retryAfterMs: parseRetryAfter(retryAfter, finishedAt) }
}
