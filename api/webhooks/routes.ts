import type { Sql } from '../../shared/db/connect.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { deleteWebhook, findWebhook, listWebhooks } from '../../shared/db/webhooks/webhooks.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { createResolver } from '../../shared/runtime/resolver.ts'
import { keyedRoute, type Route } from '../http/route.ts'
import type { StreamHub } from '../streams/hub.ts'
import { createWebhook } from './create-webhook.ts'
import { ListenReady, WebhookEvent } from './event-schema.ts'
import { listDeliveries } from './list-deliveries.ts'
import { listenToWebhookEvents } from './listen.ts'
import { createWebhookNotFound } from './not-found.ts'
import { presentDelivery, presentWebhook, presentWebhookWithSecret } from './present.ts'
import { requestRetry, requestTest } from './request-daemon.ts'
import { rotateSecret } from './rotate-secret.ts'
import { webhookRules } from './rules.ts'
import {
  CreateWebhookBody,
  Delivery,
  DeliveryPage,
  ListDeliveriesQuery,
  RotateSecretBody,
  UpdateWebhookBody,
  Webhook,
  WebhookList,
  WebhookWithSecret,
} from './schema.ts'
import { updateWebhook } from './update-webhook.ts'

type Deps = { readonly sql: Sql; readonly config: ApiConfig; readonly hub: StreamHub }

const URL_ERRORS = [
  'invalid_webhook_url',
  'insecure_webhook_url',
  'unresolvable_webhook_url',
  'unsafe_webhook_url',
] as const

/** Returns the endpoints of webhooks and their deliveries, and of the stream of webhook events. */
export function webhookRoutes(deps: Deps): readonly Route[] {
  const resolve = createResolver(deps.config.dnsServers)
  return [
    keyedRoute({
      method: 'POST',
      path: '/v1/webhooks',
      operationId: 'createWebhook',
      summary: 'Register a webhook',
      description:
        'The webhook gets the events of the key’s environment. An organization can have at most 20 webhooks. Only this response shows the secret.',
      scope: 'webhooks:write',
      body: { schema: CreateWebhookBody, rules: webhookRules },
      success: { status: 201, body: WebhookWithSecret },
      errors: [...URL_ERRORS, 'webhook_limit_reached'],
      handle: async (request) => presentWebhookWithSecret(await createWebhook({ ...deps, resolve }, request)),
    }),

    keyedRoute({
      method: 'GET',
      path: '/v1/webhooks',
      operationId: 'listWebhooks',
      summary: 'List webhooks, newest first',
      scope: 'webhooks:read',
      success: { status: 200, body: WebhookList },
      errors: [],
      handle: async ({ key }) => (await listWebhooks(deps.sql, key)).map(presentWebhook),
    }),

    // Before the routes with an id, because `listen` would match as an id.
    keyedRoute({
      method: 'GET',
      path: '/v1/webhooks/listen',
      operationId: 'listenToWebhookEvents',
      summary: 'Follow every webhook event as server-sent events',
      description:
        'Requires no registered webhook. With `Last-Event-ID`, the stream continues after the last event received, unless an event that it would have to replay is more than 24 hours old. In that case, it starts with new events. `npm run svc -- listen` signs the events and forwards them to a receiver on your machine.',
      scope: 'webhooks:read',
      success: {
        status: 200,
        body: 'event-stream',
        isResumable: true,
        events: [
          {
            name: 'ready',
            summary: 'Sent first: a secret for signing forwarded events.',
            data: ListenReady,
          },
          {
            name: 'the type of the event',
            summary: 'The event as a webhook would receive it.',
            data: WebhookEvent,
          },
        ],
      },
      errors: ['sse_capacity'],
      handle: ({ key }, ctx) => listenToWebhookEvents(deps, { ctx, key }),
    }),

    keyedRoute({
      method: 'GET',
      path: '/v1/webhooks/:id',
      operationId: 'getWebhook',
      summary: 'Read a webhook',
      scope: 'webhooks:read',
      success: { status: 200, body: Webhook },
      errors: ['webhook_not_found'],
      handle: async ({ key, params }) => {
        const webhook = await findWebhook(deps.sql, { tenant: key, id: params['id'] ?? '', orDeleted: false })
        if (webhook === null) throw createWebhookNotFound(params)
        return presentWebhook(webhook)
      },
    }),

    keyedRoute({
      method: 'PATCH',
      path: '/v1/webhooks/:id',
      operationId: 'updateWebhook',
      summary: 'Change the URL or the events of a webhook',
      description:
        'Omitted fields and the secret are unchanged. Lists are replaced as a whole and apply to future events. Pending deliveries are sent to the new URL.',
      scope: 'webhooks:write',
      body: { schema: UpdateWebhookBody },
      success: { status: 200, body: Webhook },
      errors: ['webhook_not_found', ...URL_ERRORS],
      handle: async (request) => presentWebhook(await updateWebhook({ ...deps, resolve }, request)),
    }),

    keyedRoute({
      method: 'DELETE',
      path: '/v1/webhooks/:id',
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook and end its pending deliveries',
      scope: 'webhooks:write',
      success: { status: 204, body: null },
      errors: ['webhook_not_found'],
      handle: async ({ key, params }) => {
        const webhook = { tenant: key, id: params['id'] ?? '', at: key.now }
        // In `inTransaction`, which retries after a deadlock, because the deletion locks all pending deliveries.
        if (!(await inTransaction(deps.sql, (db) => deleteWebhook(db, webhook))))
          throw createWebhookNotFound(params)
      },
    }),

    keyedRoute({
      method: 'POST',
      path: '/v1/webhooks/:id/rotate-secret',
      operationId: 'rotateWebhookSecret',
      summary: 'Give a webhook a new secret',
      description: 'The old secret also signs for 24 hours.',
      scope: 'webhooks:manage_secret',
      body: { schema: RotateSecretBody, isOptional: true },
      success: { status: 200, body: WebhookWithSecret },
      errors: ['webhook_not_found'],
      handle: async (request) => presentWebhookWithSecret(await rotateSecret(deps, request)),
    }),

    keyedRoute({
      method: 'POST',
      path: '/v1/webhooks/:id/test',
      operationId: 'testWebhook',
      summary: 'Send a signed webhook.test to this endpoint only',
      description:
        'Returns the delivery as it will be before its first attempt. The list of deliveries contains it within seconds.',
      scope: 'webhooks:write',
      success: { status: 202, body: Delivery },
      errors: ['webhook_not_found'],
      handle: async (request) => presentDelivery(await requestTest(deps, request)),
    }),

    keyedRoute({
      method: 'GET',
      path: '/v1/webhooks/:id/deliveries',
      operationId: 'listDeliveries',
      summary: 'List the deliveries of a webhook, newest first',
      description:
        'With `status` or `event`, a page scans at most 10,000 deliveries. So it can have few or no entries and still have a `nextCursor`.',
      scope: 'webhooks:read',
      query: ListDeliveriesQuery,
      success: { status: 200, body: DeliveryPage },
      errors: ['webhook_not_found'],
      handle: (request) => listDeliveries(deps, request),
    }),

    keyedRoute({
      method: 'POST',
      path: '/v1/webhooks/:id/deliveries/:deliveryId/retry',
      operationId: 'retryDelivery',
      summary: 'Retry a delivery, with up to five attempts, the first immediately',
      description:
        'Returns the delivery in its new state: `pending` and due immediately. `attempts` still includes the earlier attempts.',
      scope: 'webhooks:write',
      success: { status: 202, body: Delivery },
      errors: ['webhook_not_found', 'delivery_not_found'],
      handle: async (request) => presentDelivery(await requestRetry(deps, request)),
    }),
  ]
}
