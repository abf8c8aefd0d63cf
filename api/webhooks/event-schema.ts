import { Type } from '@sinclair/typebox'
import {
  EVENT_CATEGORY,
  type EventType,
  WEBHOOK_EVENT_TYPES,
  type WebhookEventType,
} from '../../shared/domain/event.ts'
import { Charge } from '../charges/schema.ts'
import { extendObject, strictObject, stringEnum, Timestamp } from '../http/schema.ts'

/** An event type that a webhook can receive: any type to which it can subscribe, or `webhook.test` on request. */
export type ReceivedEventType = WebhookEventType | 'webhook.test'

/** In the order of the specification's table. */
export const RECEIVED_EVENT_TYPES: readonly ReceivedEventType[] = [...WEBHOOK_EVENT_TYPES, 'webhook.test']

/** The occasion on which each event is sent. */
export const EVENT_MEANING: Readonly<Record<ReceivedEventType, string>> = {
  'charge.created': 'A charge was created.',
  'charge.partially_paid': 'A payment was credited; the total is still below `amount`.',
  'charge.confirmed':
    'The charge is paid in full, with the confirmations its network requires. The payout follows.',
  'charge.expired': 'The charge expired without a payment in time.',
  'charge.underpaid': 'The charge expired. The payments in time add up to less than `amount`.',
  'charge.settled': 'The payout has reached your wallet.',
  'charge.settlement_failed': 'The payout failed permanently. Anyone can still distribute the funds.',
  'charge.overpaid': 'The received total exceeds `amount`. Sent once, in addition to the other events.',
  'charge.escrow_released': 'The release that you ordered was executed. `charge.settled` follows.',
  'charge.escrow_refunded': 'The refund that you ordered was executed.',
  'charge.refund_declared':
    'A refund was declared with one of your keys. No money moves before your wallet pays; compare the destination with the payer’s message.',
  'charge.refund_claimed':
    'The payer of a refund gave an address. Compare it with their own message, then approve or reject it. Sent for each claim.',
  'charge.refund_approved':
    'The payer’s address was approved with one of your keys. Your wallet can pay the refund; compare the destination with the payer’s message.',
  'charge.refunded':
    'A refund that you paid from your wallet has the required confirmations. Sent for each refund; `refunds` lists them.',
  'charge.refund_expired': 'A refund was not paid within 30 days. Its amount is available for other refunds.',
  'webhook.delivery_failed': 'A delivery failed after five attempts.',
  'webhook.delivery_recovered':
    'A delivery succeeded for the first time since the endpoint became unhealthy.',
  'webhook.endpoint_unhealthy': 'More than a fifth of the attempts in 24 hours failed.',
  'webhook.test': 'You requested a test delivery.',
}

const EndpointFacts = strictObject(
  { webhookId: Type.String({ pattern: '^wh_' }), url: Type.String() },
  { title: 'EndpointFacts' },
)

const EndpointHealthFacts = extendObject(
  EndpointFacts,
  {
    failureRatio: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'Share of the attempts that failed, among the attempts that finished in the last 24 hours.',
    }),
  },
  { title: 'EndpointHealthFacts' },
)

const EventBase = strictObject(
  {
    id: Type.String({
      pattern: '^evt_',
      description: 'The same in every attempt. Skip ids that you have already processed.',
    }),
    createdAt: Timestamp,
  },
  { title: 'EventBase' },
)

const ChargeEvent = envelope('ChargeEvent', {
  types: RECEIVED_EVENT_TYPES.filter((type) => getCategory(type) === 'payments'),
  data: Charge,
})

const EndpointEvent = envelope('EndpointEvent', {
  types: ['webhook.delivery_failed', 'webhook.delivery_recovered', 'webhook.test'],
  data: EndpointFacts,
})

const EndpointHealthEvent = envelope('EndpointHealthEvent', {
  types: ['webhook.endpoint_unhealthy'],
  data: EndpointHealthFacts,
})

/** The body of every delivery, and the data of every event that `GET /v1/webhooks/listen` streams. */
export const WebhookEvent = Type.Union([ChargeEvent, EndpointEvent, EndpointHealthEvent], {
  title: 'WebhookEvent',
  description: 'Body of a webhook delivery. Every attempt sends the same bytes.',
})

/** The data of the first frame of `GET /v1/webhooks/listen`. */
export const ListenReady = strictObject(
  {
    secret: Type.String({
      pattern: '^whsec_',
      description: 'Secret of this connection. No webhook uses it.',
    }),
  },
  { title: 'ListenReady' },
)

/** Returns the schema of an event's envelope. */
export function buildEnvelopeSchema(type: ReceivedEventType) {
  if (getCategory(type) === 'payments') return ChargeEvent
  return type === 'webhook.endpoint_unhealthy' ? EndpointHealthEvent : EndpointEvent
}

function envelope<Data extends typeof Charge | typeof EndpointFacts | typeof EndpointHealthFacts>(
  title: string,
  of: { types: readonly ReceivedEventType[]; data: Data },
) {
  const description = of.types.map((type) => `\`${type}\`: ${EVENT_MEANING[type]}`).join(' ')
  return extendObject(EventBase, { event: stringEnum(of.types, { description }), data: of.data }, { title })
}

function getCategory(type: EventType) {
  return EVENT_CATEGORY[type]
}
