import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { readDocument } from './route-table.ts'

/** The committed file with the client's types. */
export const CLIENT_TYPES_FILE = 'api/client/api-types.ts'

/**
 * Returns the types of every request and response, as text, from the current API document.
 *
 * Omits the requests that the service sends to webhooks, because a receiver needs only `WebhookEvent`, which
 * `verifyWebhook` returns. Omits response headers, because the client returns them as `Headers`, which does not type
 * their names.
 */
export async function generateClientTypes(): Promise<string> {
  const { webhooks: _, ...document } = readDocument()
  const withoutHeaders = JSON.parse(JSON.stringify(document), leaveOutHeaders) as OpenAPI3
  // A field with a default stays optional in requests.
  const nodes = await openapiTS(withoutHeaders, { defaultNonNullable: false })
  return `// Written by \`npm run client-types\` from /v1/openapi.json; do not edit.\n\n${astToString(nodes)}`
}

/**
 * Replacer for `JSON.stringify` that removes the maps of headers in responses and components. It keeps a field named
 * `headers`, because the field's schema is not such a map.
 */
function leaveOutHeaders(name: string, value: unknown): unknown {
  const isMap = name === 'headers' && Object.values(Object(value) as object).every(isHeader)
  return isMap ? undefined : value
}

function isHeader(value: unknown): boolean {
  return ['$ref', 'schema'].some((key) => Object.hasOwn(Object(value) as object, key))
}
