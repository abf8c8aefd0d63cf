import type { Route } from '../../http/route.ts'
import { WebhookEvent } from '../../webhooks/event-schema.ts'
import { type Components, createComponents } from './components.ts'
import { HEADERS } from './headers.ts'
import type { Method, OpenApiDocument, PathItem } from './openapi-types.ts'
import { API_KEY, describeOperation, toPathTemplate } from './operations.ts'
import { TAGS } from './tags.ts'
import { describeWebhooks } from './webhooks.ts'

/**
 * Creates the API document of a route table. The same table mounts and validates the endpoints, so the document matches
 * them.
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
export function createDocument(routes: readonly Route[], { version }: { version: string }): OpenApiDocument {
  const components = createComponents()
  const paths = describePaths(routes, components)
  const webhooks = describeWebhooks(components)
  components.schemas.write(WebhookEvent, 'answer')
  return {
    openapi: '3.1.1',
    info: {
      title: 'Stablecoin payment service',
      version,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server that returned this document.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: { [API_KEY]: SECURITY_SCHEME },
      headers: HEADERS,
      parameters: components.parameters.all(),
      requestBodies: components.requestBodies.all(),
      responses: components.responses.all(),
      schemas: components.schemas.components(),
    },
  }
}

const INTRODUCTION =
  'Non-custodial payments in USDC and USDT: each charge has an address that commits to the payees and their shares, or to the releaser of its escrow. ' +
  'Amounts are in dollars. Fields that end in `Exact` are decimal strings; use them for calculations. ' +
  'Timestamps are ISO 8601 in UTC, durations are whole seconds, percentages are plain numbers (1.5 is 1.5 %). ' +
  'New fields, endpoints and enumerated values may be added. Clients must tolerate them.'

const SECURITY_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  description:
    '`Authorization: Bearer svc_live_…` or `svc_test_…`. The key determines the environment, the scopes and the payout addresses. No request can change where the merchant is paid.',
}

function describePaths(routes: readonly Route[], components: Components): Readonly<Record<string, PathItem>> {
  const paths: Record<string, PathItem> = {}
  for (const route of routes) {
    const template = toPathTemplate(route.path)
    const method = route.method.toLowerCase() as Method
    paths[template] = { ...paths[template], [method]: describeOperation(route, components) }
  }
  return paths
}
