import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { readDocument } from './route-table.ts'

/** File in which the client's types are committed. */
export const CLIENT_TYPES_FILE = 'api/client/api-types.ts'

/**
 * Returns the types of every request and response, as text, from the current API document.
 *
 * A receiver of webhooks needs only `WebhookEvent`, which `verifyWebhook` returns. So the requests that the service
 * sends are left out.
 */
export async function generateClientTypes(): Promise<string> {
  const { webhooks: _, ...document } = readDocument()
  // A field with a default stays optional in requests.
  const nodes = await openapiTS(document as unknown as OpenAPI3, { defaultNonNullable: false })
  return `// Written by \`npm run client-types\` from /v1/openapi.json; do not edit.\n\n${astToString(nodes)}`
}
