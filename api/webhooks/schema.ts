import { Type } from '@sinclair/typebox'
import { DELIVERY_STATUSES } from '../../shared/domain/delivery.ts'
import { EVENT_TYPES, WEBHOOK_EVENT_CATEGORIES, WEBHOOK_EVENT_TYPES } from '../../shared/domain/event.ts'
import { EnvironmentName, nullable, oneOf, Paging, pageOf, strictObject, Timestamp } from '../schema.ts'

/** Far more than there are to name; what is named twice counts once. */
const MAX_NAMES = 50

const EventOrAll = oneOf([...WEBHOOK_EVENT_TYPES, '*'])
const EventName = oneOf(WEBHOOK_EVENT_TYPES)
const CategoryName = oneOf(WEBHOOK_EVENT_CATEGORIES)

/** The body of `POST /v1/webhooks`; what its URL must be, `createWebhook` says. */
export const CreateWebhookBody = strictObject({
  url: Type.String(),
  events: Type.Optional(Type.Array(EventOrAll, { maxItems: MAX_NAMES })),
  eventCategories: Type.Optional(Type.Array(CategoryName, { maxItems: MAX_NAMES })),
  excludeEvents: Type.Optional(Type.Array(EventName, { maxItems: MAX_NAMES })),
})

/** The body of `rotate-secret`, which may be left out. */
export const RotateSecretBody = strictObject({
  /** The old secret signs no more; otherwise it does for 24 hours. */
  expireOldNow: Type.Optional(Type.Boolean({ default: false })),
})

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
export const WebhookWithSecret = strictObject({
  ...webhookFields,
  secret: Type.String({ pattern: '^whsec_[A-Za-z0-9+/]{43}=$' }),
})

/** What `GET /v1/webhooks` answers: unpaginated, for their number is bounded. */
export const WebhookList = Type.Array(strictObject({ ...webhookFields, hint: Type.String() }))

/** One page of a webhook's deliveries. */
export const DeliveryPage = pageOf(
  strictObject({
    id: Type.String({ pattern: '^dl_' }),
    event: oneOf(EVENT_TYPES),
    status: oneOf(DELIVERY_STATUSES),
    attempts: Type.Integer({ minimum: 0 }),
    responseCode: nullable(Type.Integer({ minimum: 100, maximum: 999 })),
    createdAt: Timestamp,
    nextRetryAt: nullable(Timestamp),
    deliveredAt: nullable(Timestamp),
  }),
)

/** The query of the list of deliveries. */
export const ListDeliveriesQuery = strictObject({ ...Paging })
