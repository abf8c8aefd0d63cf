import {
  buildEnvelopeSchema,
  EVENT_MEANING,
  RECEIVED_EVENT_TYPES,
  type ReceivedEventType,
} from '../../webhooks/event-schema.ts'
import type { Components } from './components.ts'
import type { Operation, Parameter, PathItem, Reference } from './openapi-types.ts'

/** Describes the request to a webhook for each event type. */
export function describeWebhooks(components: Components): Readonly<Record<string, PathItem>> {
  return Object.fromEntries(
    RECEIVED_EVENT_TYPES.map((type) => [type, { post: describeDelivery(type, components) }]),
  )
}

function describeDelivery(type: ReceivedEventType, components: Components): Operation {
  const { parameters, responses } = components
  return {
    operationId: `receive${type.split(/[._]/).map(capitalize).join('')}`,
    summary: EVENT_MEANING[type],
    tags: ['Webhook events'],
    security: [],
    parameters: Object.entries(DELIVERY_HEADERS).map(([name, header]) => parameters.share(name, header)),
    requestBody: describeBody(type, components),
    responses: {
      '2XX': responses.share('Delivered', DELIVERED),
      '4XX': responses.share('NotDelivered', NOT_DELIVERED),
    },
  }
}

function describeBody(type: ReceivedEventType, { schemas, requestBodies }: Components): Reference {
  const schema = buildEnvelopeSchema(type)
  return requestBodies.share(`${schema.title}Delivery`, {
    required: true,
    content: { 'application/json': { schema: schemas.write(schema, 'answer') } },
  })
}

const DELIVERED = { description: 'Delivered. Respond with any 2xx within 8 seconds. The body is not read.' }

const NOT_DELIVERED = {
  description:
    'Not delivered. The same holds for every other status, including redirects. There are five attempts in 24 hours.',
}

/** @see decisions 6.6; indexer/webhooks, which sends them */
const DELIVERY_HEADERS: Readonly<Record<string, Parameter>> = {
  ServiceDelivery: header('X-Service-Delivery', 'The `id` of the event.'),
  ServiceEvent: header('X-Service-Event', 'The type of the event.'),
  ServiceSignature: header(
    'X-Service-Signature',
    '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `{t}.{body}` with the whole secret as key. There are several `v1` while the secret is rotated.',
  ),
  WebhookMessageId: header('webhook-id', 'The `id` of the event, under its Standard Webhooks name.'),
  WebhookTimestamp: header('webhook-timestamp', 'Unix seconds of this attempt.'),
  WebhookSignature: header(
    'webhook-signature',
    '`v1,<base64>`: HMAC-SHA256 of `{id}.{timestamp}.{body}`. The key is the decoded part of the secret after `whsec_`. There are several signatures, separated by spaces, while the secret is rotated.',
  ),
}

function header(name: string, description: string): Parameter {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } }
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
