import type { Route } from '../route.ts'
import { WebhookEvent } from '../webhooks/event-schema.ts'
import { HEADERS } from './headers.ts'
import type { Method, OpenApiDocument, PathItem } from './openapi-types.ts'
import { API_KEY, describeOperation, templateOf } from './operations.ts'
import { describeSharedErrors } from './responses.ts'
import { createSchemas, type Schemas } from './schemas.ts'
import { TAGS } from './tags.ts'
import { describeWebhooks } from './webhooks.ts'

/**
 * Writes the API document of a route table: what is mounted and validated against is what is described.
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
export function createDocument(routes: readonly Route[], { version }: { version: string }): OpenApiDocument {
  const schemas = createSchemas()
  const paths = describePaths(routes, schemas)
  const webhooks = describeWebhooks(schemas)
  const responses = describeSharedErrors(schemas)
  schemas.write(WebhookEvent, 'answer')
  return {
    openapi: '3.1.1',
    info: {
      title: 'Stablecoin payment service',
      version,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'Where this document came from.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: { [API_KEY]: SECURITY_SCHEME },
      headers: HEADERS,
      responses,
      schemas: schemas.components(),
    },
  }
}

const INTRODUCTION =
  'Payments in USDC and USDT that nobody holds: a charge is an address that commits to who is paid and how much of it. ' +
  'Amounts are dollars; fields that end in `Exact` are decimal strings, the ones to calculate with. ' +
  'Timestamps are ISO 8601 in UTC, durations whole seconds, percentages plain numbers (1.5 is 1.5 %). ' +
  'New fields, endpoints and enumerated values may be added: tolerate them.'

const SECURITY_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  description:
    '`Authorization: Bearer svc_live_…` or `svc_test_…`; the key alone chooses the environment. What a key may do are its scopes; where its money goes is bound to it and is no field of any request.',
}

function describePaths(routes: readonly Route[], schemas: Schemas): Readonly<Record<string, PathItem>> {
  const paths: Record<string, PathItem> = {}
  for (const route of routes) {
    const template = templateOf(route.path)
    const method = route.method.toLowerCase() as Method
    paths[template] = { ...paths[template], [method]: describeOperation(route, schemas) }
  }
  return paths
}
