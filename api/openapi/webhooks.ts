import { envelopeOf, RECEIVED_EVENT_TYPES, type ReceivedEventType } from '../webhooks/event-schema.ts'
import type { Operation, Parameter, PathItem } from './openapi-types.ts'
import type { Schemas } from './schemas.ts'

/** When each event is sent; one without a line here does not compile. */
const EVENT_MEANING: Readonly<Record<ReceivedEventType, string>> = {
  'charge.created': 'A charge was made.',
  'charge.partially_paid': 'Something was credited, and less than `amount`.',
  'charge.confirmed':
    'The charge is paid in full, at the depth its network needs. The money is on its way to you.',
  'charge.expired': 'Nothing came in time.',
  'charge.underpaid': 'Something came in time, and too little.',
  'charge.settled': 'Your wallet has the money.',
  'charge.settlement_failed': 'The payout failed for good; anyone can still distribute it.',
  'charge.overpaid': 'More than `amount` came; sent besides, once.',
  'charge.escrow_released': 'The release that you ordered was executed; `charge.settled` follows.',
  'charge.escrow_refunded': 'The refund that you ordered was executed.',
  'webhook.delivery_failed': 'A delivery has used its five attempts.',
  'webhook.delivery_recovered': 'A delivery succeeded, the first after the endpoint was called unhealthy.',
  'webhook.endpoint_unhealthy': 'More than a fifth of the attempts of 24 hours failed.',
  'webhook.test': 'You asked for it.',
}

/** Writes what each event sends to a receiver. */
export function describeWebhooks(schemas: Schemas): Readonly<Record<string, PathItem>> {
  return Object.fromEntries(
    RECEIVED_EVENT_TYPES.map((type) => [type, { post: describeDelivery(type, schemas) }]),
  )
}

function describeDelivery(type: ReceivedEventType, schemas: Schemas): Operation {
  return {
    operationId: `receive${type.split(/[._]/).map(capitalize).join('')}`,
    summary: EVENT_MEANING[type],
    tags: ['Webhook events'],
    security: [],
    parameters: DELIVERY_HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemas.write(envelopeOf(type), 'answer') } },
    },
    responses: {
      '2XX': { description: 'Delivered. Any 2xx within 8 seconds will do; the body is not read.' },
      '4XX': {
        description: 'Not delivered, like any other answer, redirects included; five attempts in 24 hours.',
      },
    },
  }
}

/** @see decisions 6.6; indexer/webhooks, which sends them */
const DELIVERY_HEADERS: readonly Parameter[] = [
  header('X-Service-Delivery', 'The `id` of the event.'),
  header('X-Service-Event', 'The type of the event.'),
  header(
    'X-Service-Signature',
    '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `{t}.{body}`, keyed with the whole secret; several `v1` while it is rotated.',
  ),
  header('webhook-id', 'The `id` of the event, as Standard Webhooks name it.'),
  header('webhook-timestamp', 'Unix seconds of this attempt.'),
  header(
    'webhook-signature',
    '`v1,<base64>`: HMAC-SHA256 of `{id}.{timestamp}.{body}`, keyed with the decoded part of the secret after `whsec_`; several, with spaces between, while it is rotated.',
  ),
]

function header(name: string, description: string): Parameter {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } }
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
