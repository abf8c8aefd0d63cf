import type { Static } from '@sinclair/typebox'
import type { Sql } from '../../shared/db/connect.ts'
import { rotateWebhookSecret } from '../../shared/db/webhooks/webhooks.ts'
import { createWebhookSecret, getHint } from '../../shared/domain/webhook-secret.ts'
import type { Request } from '../http/route.ts'
import { sealSecret } from './create-webhook.ts'
import { createWebhookNotFound } from './not-found.ts'
import type { RotateSecretBody } from './schema.ts'

type Deps = { readonly sql: Sql; readonly config: Parameters<typeof sealSecret>[0]['config'] }

/** Time during which the old secret also signs, unless `expireOldNow` is true (decisions 6.4). */
const OVERLAP_MS = 24 * 3_600_000

/**
 * Gives a webhook a new secret, and returns the webhook and the secret.
 *
 * A second rotation within `OVERLAP_MS` removes the oldest secret, so that at most two secrets sign.
 *
 * @throws {AppError} `webhook_not_found`; `service_unavailable` if webhooks are not configured
 */
export async function rotateSecret(
  { sql, config }: Deps,
  { key, params, body }: Request<unknown, Static<typeof RotateSecretBody>>,
) {
  const secret = createWebhookSecret()
  const webhook = await rotateWebhookSecret(sql, {
    tenant: key,
    id: params['id'] ?? '',
    secretSealed: sealSecret({ config }, secret),
    secretHint: getHint(secret),
    oldUntil: body.expireOldNow === true ? null : new Date(key.now.getTime() + OVERLAP_MS),
  })
  if (webhook === null) throw createWebhookNotFound(params)
  return { webhook, secret }
}
