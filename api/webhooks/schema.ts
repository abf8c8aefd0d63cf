import { Type } from '@sinclair/typebox'
import { DELIVERY_STATUSES } from '../../shared/domain/delivery.ts'
import { WEBHOOK_EVENT_CATEGORIES, WEBHOOK_EVENT_TYPES } from '../../shared/domain/event.ts'
import { EnvironmentName, nullable, oneOf, Paging, pageOf, strictObject, Timestamp } from '../schema.ts'
import { RECEIVED_EVENT_TYPES } from './event-schema.ts'

/** Far more than there are to name; what is named twice counts once. */
const MAX_NAMES = 50

const EventOrAll = oneOf([...WEBHOOK_EVENT_TYPES, '*'])
const EventName = oneOf(WEBHOOK_EVENT_TYPES, { title: 'WebhookEventType' })
const CategoryName = oneOf(WEBHOOK_EVENT_CATEGORIES, { title: 'WebhookEventCategory' })

/** The body of `POST /v1/webhooks`; what its URL must be, `createWebhook` says. */
export const CreateWebhookBody = strictObject(
  {
    url: Type.String({ description: 'https, public, without credentials, at most 2048 characters.' }),
    events: Type.Optional(
      Type.Array(EventOrAll, {
        maxItems: MAX_NAMES,
        description: 'By name, or `*`; this or `eventCategories` names something.',
      }),
    ),
    eventCategories: Type.Optional(Type.Array(CategoryName, { maxItems: MAX_NAMES })),
    excludeEvents: Type.Optional(
      Type.Array(EventName, { maxItems: MAX_NAMES, description: 'What not to send, whatever else says so.' }),
    ),
  },
  { title: 'CreateWebhook', examples: [{ url: 'https://example.com/hook', eventCategories: ['payments'] }] },
)

/** The body of `PATCH /v1/webhooks/{id}`. */
export const UpdateWebhookBody = Type.Partial(CreateWebhookBody, {
  title: 'UpdateWebhook',
  examples: [{ url: 'https://example.com/new-hook' }, { events: ['charge.confirmed'], eventCategories: [] }],
})

/** The body of `rotate-secret`, which may be left out. */
export const RotateSecretBody = strictObject(
  {
    expireOldNow: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'The old secret signs no more; otherwise it does for 24 hours.',
      }),
    ),
  },
  { title: 'RotateSecret', examples: [{ expireOldNow: false }] },
)

const webhookFields = {
  id: Type.String({ pattern: '^wh_' }),
  url: Type.String(),
  events: Type.Array(EventOrAll),
  eventCategories: Type.Array(CategoryName),
  excludeEvents: Type.Array(EventName),
  environment: nullable(EnvironmentName),
  createdAt: Timestamp,
}

/** A webhook with the secret that only this answer shows. */
export const WebhookWithSecret = strictObject(
  {
    ...webhookFields,
    secret: Type.String({ pattern: '^whsec_[A-Za-z0-9+/]{43}=$', description: 'Shown only here.' }),
  },
  { title: 'WebhookWithSecret' },
)

/** A webhook as it is read. */
export const Webhook = strictObject(
  { ...webhookFields, hint: Type.String({ description: 'The beginning of the secret.' }) },
  { title: 'Webhook' },
)

/** What `GET /v1/webhooks` answers: unpaginated, for their number is bounded. */
export const WebhookList = Type.Array(Webhook, { title: 'WebhookList' })

const EventOfDelivery = oneOf(RECEIVED_EVENT_TYPES)
const StatusOfDelivery = oneOf(DELIVERY_STATUSES)

/** A delivery of an event to a webhook. */
export const Delivery = strictObject(
  {
    id: Type.String({ pattern: '^dl_' }),
    event: EventOfDelivery,
    eventId: nullable(Type.String({ pattern: '^evt_' }), {
      description:
        'The `id` in its body. Null only in the answer to a request for a test, whose event is made after it.',
    }),
    chargeId: nullable(Type.String({ pattern: '^ch_' }), { description: 'Null for `webhook.*`.' }),
    status: StatusOfDelivery,
    attempts: Type.Integer({ minimum: 0 }),
    responseCode: nullable(Type.Integer({ minimum: 100, maximum: 999 }), {
      description: 'The last status any attempt got; null if none ever connected.',
    }),
    createdAt: Timestamp,
    nextRetryAt: nullable(Timestamp),
    deliveredAt: nullable(Timestamp),
  },
  { title: 'Delivery' },
)

/** One page of a webhook's deliveries. */
export const DeliveryPage = pageOf(Delivery)

/** The query of the list of deliveries. */
export const ListDeliveriesQuery = strictObject({
  status: Type.Optional(StatusOfDelivery),
  event: Type.Optional(EventOfDelivery),
  ...Paging,
})
