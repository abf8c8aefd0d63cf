import { envelopeOf, RECEIVED_EVENT_TYPES, type ReceivedEventType } from '../webhooks/event-schema.ts'
import { EVENT_MEANING } from './event-meanings.ts'
import type { Operation, Parameter, PathItem } from './openapi-types.ts'
import type { Schemas } from './schemas.ts'

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
