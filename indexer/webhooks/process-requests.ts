import type { Db } from '../../shared/db/connect.ts'
import { appendEvents } from '../../shared/db/events/daemon/events.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import {
  hasDelivery,
  insertDelivery,
  lockIdleDelivery,
  updateDeliveries,
} from '../../shared/db/webhooks/daemon/deliveries.ts'
import {
  type ClaimedWebhookRequest,
  claimWebhookRequests,
  deleteWebhookRequests,
  type WebhookRequest,
} from '../../shared/db/webhooks/webhook-requests.ts'
import { findWebhook } from '../../shared/db/webhooks/webhooks.ts'
import { testDeliveryId } from '../../shared/domain/delivery.ts'
import { EVENT_CATEGORY } from '../../shared/domain/event.ts'
import { isId, newId } from '../../shared/domain/ids.ts'
import { parsePayload } from '../requests/parse-payload.ts'
import { decideRetry } from './decide-delivery.ts'
import type { DeliveryActorDeps } from './delivery-actor.ts'

type Deps = Pick<DeliveryActorDeps, 'sql' | 'clock' | 'log'> & {
  /** Called after requests were processed, because deliveries may have become due. */
  readonly onDue: () => void
}

/** A request with a parsed payload. */
type SoundRequest = ClaimedWebhookRequest & Pick<WebhookRequest, 'payload'>

/** Maximum requests per transaction. */
const BATCH = 50

/** A claimed request, and how its processing ended. A waiting request stays in the table. */
type Processed = {
  readonly request: ClaimedWebhookRequest
  readonly outcome: 'done' | 'invalid' | 'waiting'
}

/**
 * Processes the API's requests about webhooks: starts a new cycle of delivery attempts, or queues a test event for one
 * endpoint.
 *
 * A request is deleted in the transaction that applies its effect, so that the effect never happens twice. A request to
 * retry waits while an attempt of the delivery is in flight, even if the attempt starts while the request is processed.
 * A request is deleted without effect if its delivery or endpoint no longer exists, or the payload is invalid.
 */
export async function processWebhookRequests({ sql, clock, log, onDue }: Deps): Promise<'more' | 'idle'> {
  const all = await inTransaction(sql, async (db) => {
    const now = clock()
    const processed: Processed[] = []
    for (const request of await claimWebhookRequests(db, { now, limit: BATCH }))
      processed.push({ request, outcome: await fulfil(db, request, now) })
    const ended = processed.filter(({ outcome }) => outcome !== 'waiting')
    await deleteWebhookRequests(
      db,
      ended.map(({ request }) => request.id),
    )
    return processed
  })
  for (const { request, outcome } of all) {
    const { id, kind, apiRequestId } = request
    const fields = { request_id: id, api_request_id: apiRequestId, kind }
    if (outcome === 'done') log.info({ msg: 'Processed a webhook request', ...fields })
    if (outcome === 'invalid') log.error({ msg: 'Rejected an invalid webhook request', ...fields })
  }
  if (all.some(({ outcome }) => outcome === 'done')) onDue()
  return all.length === BATCH ? 'more' : 'idle'
}

async function fulfil(db: Db, request: ClaimedWebhookRequest, now: Date): Promise<Processed['outcome']> {
  const payload = parsePayload(request.kind, request.payload)
  if (payload === null) return 'invalid'
  const sound = { ...request, payload }
  switch (sound.kind) {
    case 'delivery_retry':
      return retry(db, sound, now)
    case 'webhook_test':
      await test(db, sound, now)
      return 'done'
  }
}

async function retry(db: Db, request: SoundRequest, now: Date): Promise<'done' | 'waiting'> {
  const { organizationId, subjectId: publicId, payload } = request
  const tenant = { organizationId, environment: payload.environment }
  const delivery = await lockIdleDelivery(db, { tenant, publicId, now })
  // The request also waits if the attempt has ended since the delivery could not be locked.
  if (delivery === null) return (await hasDelivery(db, { tenant, publicId })) ? 'waiting' : 'done'
  await updateDeliveries(db, [decideRetry(delivery, now)])
  return 'done'
}

async function test(db: Db, request: SoundRequest, now: Date): Promise<void> {
  const { id: requestId, organizationId, subjectId: webhookId, apiRequestId, createdAt } = request
  const { environment } = request.payload
  const tenant = { organizationId, environment }
  const webhook = await findWebhook(db, { tenant, id: webhookId, orDeleted: false })
  if (webhook === null) return
  const id = newId('evt', now.getTime())
  const data = JSON.stringify({ webhookId, url: webhook.url })
  const type = 'webhook.test'
  const event = {
    id,
    category: EVENT_CATEGORY[type],
    type,
    organizationId,
    environment,
    chargeId: null,
    data,
  } as const
  await appendEvents(db, [{ ...event, apiRequestId, createdAt: now }])
  // The API has already returned this delivery id to its caller. Only a request that the API did not create has an id
  // of another form.
  const deliveryId = isId('req', requestId) ? testDeliveryId(requestId) : newId('dl', now.getTime())
  await insertDelivery(db, { id: deliveryId, webhookId, eventId: id, createdAt })
}
