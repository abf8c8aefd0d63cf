import type { Static } from '@sinclair/typebox'
import type { Sql } from '../../shared/db/connect.ts'
import {
  findWebhook,
  updateWebhook as updateRow,
  type WebhookRow,
} from '../../shared/db/webhooks/webhooks.ts'
import { createFieldError } from '../http/field-error.ts'
import type { Request } from '../http/route.ts'
import { distinct, requirePublicTarget, type TargetDeps } from './create-webhook.ts'
import { createWebhookNotFound } from './not-found.ts'
import type { UpdateWebhookBody } from './schema.ts'

/**
 * Updates the given fields of a webhook; the secret is unchanged. Pending deliveries are sent to the new URL.
 *
 * @throws {AppError} `webhook_not_found`; the errors of `requirePublicTarget`; `validation_error` if `events` and
 * `eventCategories` would both be empty
 */
export async function updateWebhook(
  deps: TargetDeps & { readonly sql: Sql },
  { key, params, body }: Request<unknown, Static<typeof UpdateWebhookBody>>,
): Promise<WebhookRow> {
  const selected = { tenant: key, id: params['id'] ?? '' }
  if ((await findWebhook(deps.sql, { ...selected, orDeleted: false })) === null)
    throw createWebhookNotFound(params)
  if (body.url !== undefined) await requirePublicTarget(deps, body.url)
  const { events, eventCategories, excludeEvents } = body
  const changed = await updateRow(deps.sql, {
    ...selected,
    url: body.url ?? null,
    events: events ? distinct(events) : null,
    eventCategories: eventCategories ? distinct(eventCategories) : null,
    excludeEvents: excludeEvents ? distinct(excludeEvents) : null,
  })
  if (changed !== null) return changed
  // The webhook exists, so the statement found that both lists would be empty.
  throw createFieldError('events', 'and eventCategories would both be empty; delete the webhook instead')
}
