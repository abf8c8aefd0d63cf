import { Type } from '@sinclair/typebox'
import {
  EVENT_CATEGORY,
  type EventType,
  WEBHOOK_EVENT_TYPES,
  type WebhookEventType,
} from '../../shared/domain/event.ts'
import { Charge } from '../charges/schema.ts'
import { oneOf, strictObject, Timestamp } from '../schema.ts'

/** An event that some receiver gets: those that webhooks subscribe to, and the test that is asked for. */
export type ReceivedEventType = WebhookEventType | 'webhook.test'

/** Every one, in the order of the specification's table. */
export const RECEIVED_EVENT_TYPES: readonly ReceivedEventType[] = [...WEBHOOK_EVENT_TYPES, 'webhook.test']

const endpointFields = { webhookId: Type.String({ pattern: '^wh_' }), url: Type.String() }

const EndpointFacts = strictObject(endpointFields, { title: 'EndpointFacts' })

const EndpointHealthFacts = strictObject(
  {
    ...endpointFields,
    failureRatio: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Of the attempts that finished in 24 hours.',
    }),
  },
  { title: 'EndpointHealthFacts' },
)

/** What events of a charge's life carry. */
const ChargeEvent = envelope('ChargeEvent', {
  types: RECEIVED_EVENT_TYPES.filter((type) => categoryOf(type) === 'payments'),
  data: Charge,
})

/** What an event about an endpoint carries. */
const EndpointEvent = envelope('EndpointEvent', {
  types: ['webhook.delivery_failed', 'webhook.delivery_recovered', 'webhook.test'],
  data: EndpointFacts,
})

/** What the event carries that tells of an endpoint's failures. */
const EndpointHealthEvent = envelope('EndpointHealthEvent', {
  types: ['webhook.endpoint_unhealthy'],
  data: EndpointHealthFacts,
})

/** The body of every delivery, and the data of the stream's events. */
export const WebhookEvent = Type.Union([ChargeEvent, EndpointEvent, EndpointHealthEvent], {
  title: 'WebhookEvent',
  description: 'What a webhook gets; the same bytes on every attempt.',
})

/** The data of the stream's first frame. */
export const ListenReady = strictObject(
  {
    secret: Type.String({
      pattern: '^whsec_',
      description: "This connection's own; no webhook signs with it.",
    }),
  },
  { title: 'ListenReady' },
)

/** Answers the schema of an event's envelope. */
export function envelopeOf(type: ReceivedEventType) {
  if (categoryOf(type) === 'payments') return ChargeEvent
  return type === 'webhook.endpoint_unhealthy' ? EndpointHealthEvent : EndpointEvent
}

function envelope<Data extends typeof Charge | typeof EndpointFacts | typeof EndpointHealthFacts>(
  title: string,
  of: { types: readonly ReceivedEventType[]; data: Data },
) {
  return strictObject(
    {
      id: Type.String({
        pattern: '^evt_',
        description: 'The same on every attempt: what you have seen, you can skip.',
      }),
      event: oneOf(of.types),
      createdAt: Timestamp,
      data: of.data,
    },
    { title },
  )
}

function categoryOf(type: EventType) {
  return EVENT_CATEGORY[type]
}
