import type { Sql } from '../../shared/db/connect.ts'
import { findDelivery, type ListedDelivery } from '../../shared/db/webhooks/api/deliveries-read.ts'
import { insertWebhookRequest } from '../../shared/db/webhooks/webhook-requests.ts'
import { findWebhook } from '../../shared/db/webhooks/webhooks.ts'
import { testDeliveryId } from '../../shared/domain/delivery.ts'
import { newId } from '../../shared/domain/ids.ts'
import type { Request } from '../http/route.ts'
import { createDeliveryNotFound, createWebhookNotFound } from './not-found.ts'
import type { PresentedDelivery } from './present.ts'

type Deps = { readonly sql: Sql }
type Subject = Pick<Request<unknown, unknown>, 'key' | 'params' | 'requestId'>

/**
 * Requests that the daemon retry a delivery, with up to five attempts. Returns the delivery in its future state.
 *
 * The daemon starts within seconds, after any attempt in flight (decisions 6.3).
 *
 * @throws {AppError} `webhook_not_found`, also for a deleted webhook; `delivery_not_found`
 */
export async function requestRetry(deps: Deps, subject: Subject): Promise<ListedDelivery> {
  const webhookId = await requireWebhook(deps, subject)
  const id = subject.params['deliveryId'] ?? ''
  const { environment } = subject.key
  const delivery = await findDelivery(deps.sql, { webhookId, environment, id })
  if (delivery === null) throw createDeliveryNotFound(subject.params)
  const { createdAt } = await insertRequest(deps, subject, { kind: 'delivery_retry', subjectId: id })
  return { ...delivery, status: 'pending', nextRetryAt: createdAt, deliveredAt: null }
}

/**
 * Requests that the daemon send `webhook.test` to one webhook. Returns the delivery that the daemon will create.
 *
 * @throws {AppError} `webhook_not_found`
 */
export async function requestTest(deps: Deps, subject: Subject): Promise<PresentedDelivery> {
  const subjectId = await requireWebhook(deps, subject)
  const { id, createdAt } = await insertRequest(deps, subject, { kind: 'webhook_test', subjectId })
  return {
    id: testDeliveryId(id),
    event: 'webhook.test',
    eventId: null,
    chargeId: null,
    status: 'pending',
    attempts: 0,
    responseCode: null,
    createdAt,
    nextRetryAt: createdAt,
    deliveredAt: null,
  }
}

async function requireWebhook({ sql }: Deps, { key, params }: Subject): Promise<string> {
  const webhook = await findWebhook(sql, { tenant: key, id: params['id'] ?? '', orDeleted: false })
  if (webhook === null) throw createWebhookNotFound(params)
  return webhook.id
}

async function insertRequest(
  { sql }: Deps,
  { key, requestId }: Subject,
  request: { kind: 'delivery_retry' | 'webhook_test'; subjectId: string },
): Promise<{ id: `req_${string}`; createdAt: Date }> {
  const { organizationId, environment } = key
  const id = newId('req', key.now.getTime())
  const createdAt = await insertWebhookRequest(sql, {
    ...request,
    id,
    organizationId,
    apiRequestId: requestId,
    payload: { environment },
  })
  return { id, createdAt }
}
