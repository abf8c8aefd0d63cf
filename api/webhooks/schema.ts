import { Type } from '@sinclair/typebox'
import { DELIVERY_STATUSES } from '../../shared/domain/delivery.ts'
import { WEBHOOK_EVENT_CATEGORIES, WEBHOOK_EVENT_TYPES } from '../../shared/domain/event.ts'
import {
  buildPageSchema,
  EnvironmentName,
  extendObject,
  nullable,
  Paging,
  strictObject,
  stringEnum,
  Timestamp,
} from '../http/schema.ts'
import { RECEIVED_EVENT_TYPES } from './event-schema.ts'

/** Maximum number of names in a list, including duplicates. There are far fewer events. */
const MAX_NAMES = 50

const EventOrAll = stringEnum([...WEBHOOK_EVENT_TYPES, '*'], { title: 'WebhookEventTypeOrAll' })
const EventName = stringEnum(WEBHOOK_EVENT_TYPES, { title: 'WebhookEventType' })
const CategoryName = stringEnum(WEBHOOK_EVENT_CATEGORIES, { title: 'WebhookEventCategory' })

/** The body of `POST /v1/webhooks`. `createWebhook` validates the URL. */
export const CreateWebhookBody = strictObject(
  {
    url: Type.String({ description: 'A public https URL without credentials, at most 2048 characters.' }),
    events: Type.Optional(
      Type.Array(EventOrAll, {
        maxItems: MAX_NAMES,
        description: 'Names of events, or `*`. This field or `eventCategories` must have an entry.',
      }),
    ),
    eventCategories: Type.Optional(Type.Array(CategoryName, { maxItems: MAX_NAMES })),
    excludeEvents: Type.Optional(
      Type.Array(EventName, {
        maxItems: MAX_NAMES,
        description: 'Events that are never sent, even if the other fields include them.',
      }),
    ),
  },
  { title: 'CreateWebhook', examples: [{ url: 'https://example.com/hook', eventCategories: ['payments'] }] },
)

/** The body of `PATCH /v1/webhooks/{id}`. */
export const UpdateWebhookBody = Type.Partial(CreateWebhookBody, {
  title: 'UpdateWebhook',
  examples: [{ url: 'https://example.com/new-hook' }, { events: ['charge.confirmed'], eventCategories: [] }],
})

/** The optional body of `rotate-secret`. */
export const RotateSecretBody = strictObject(
  {
    expireOldNow: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether the old secret expires immediately. Otherwise it also signs for 24 hours.',
      }),
    ),
  },
  { title: 'RotateSecret', examples: [{ expireOldNow: false }] },
)

const WebhookBase = strictObject(
  {
    id: Type.String({ pattern: '^wh_' }),
    url: Type.String(),
    events: Type.Array(EventOrAll),
    eventCategories: Type.Array(CategoryName),
    excludeEvents: Type.Array(EventName),
    environment: nullable(EnvironmentName),
    createdAt: Timestamp,
  },
  { title: 'WebhookBase', description: 'The fields of a webhook that every response shows.' },
)

/** A webhook with its secret, as returned by creation and by `rotate-secret`. */
export const WebhookWithSecret = extendObject(
  WebhookBase,
  {
    secret: Type.String({
      pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
      description: 'Shown only in this response.',
    }),
  },
  { title: 'WebhookWithSecret' },
)

/** A webhook without its secret, as returned by all other endpoints. */
export const Webhook = extendObject(
  WebhookBase,
  { hint: Type.String({ description: 'The first characters of the secret.' }) },
  { title: 'Webhook' },
)

/** The response of `GET /v1/webhooks`. It has no pages, because the number of webhooks is limited. */
export const WebhookList = Type.Array(Webhook, { title: 'WebhookList' })

const EventOfDelivery = stringEnum(RECEIVED_EVENT_TYPES, { title: 'ReceivedEventType' })
const StatusOfDelivery = stringEnum(DELIVERY_STATUSES, { title: 'DeliveryStatus' })

/** A delivery of an event to a webhook. */
export const Delivery = strictObject(
  {
    id: Type.String({ pattern: '^dl_' }),
    event: EventOfDelivery,
    eventId: nullable(Type.String({ pattern: '^evt_' }), {
      description:
        'The `id` in the body of the delivery. Null only in the response to a test request, whose event is created later.',
    }),
    chargeId: nullable(Type.String({ pattern: '^ch_' }), { description: 'Null for `webhook.*` events.' }),
    status: StatusOfDelivery,
    attempts: Type.Integer({ minimum: 0 }),
    responseCode: nullable(Type.Integer({ minimum: 100, maximum: 999 }), {
      description: 'HTTP status of the last response to any attempt; null if there was no response.',
    }),
    createdAt: Timestamp,
    nextRetryAt: nullable(Timestamp),
    deliveredAt: nullable(Timestamp),
  },
  { title: 'Delivery' },
)

/** One page of a webhook's deliveries. */
export const DeliveryPage = buildPageSchema(Delivery)

/** The query of the list of deliveries. */
export const ListDeliveriesQuery = strictObject({
  status: Type.Optional(StatusOfDelivery),
  event: Type.Optional(EventOfDelivery),
  ...Paging,
})
