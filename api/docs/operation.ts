import { type Html, html, prose, sentence } from '../../shared/runtime/html.ts'
import { fieldRow, fieldTable } from './fields.ts'
import type { MediaType, OpenApiDocument } from './openapi/openapi-types.ts'
import type { ResolvedOperation } from './resolve-operation.ts'

/** An endpoint with its method and path. */
export type Endpoint = {
  readonly method: string
  readonly path: string
  readonly operation: ResolvedOperation
}

/** Renders the request and the responses of an endpoint. */
export function describeEndpoint({ method, path, operation }: Endpoint, document: OpenApiDocument): Html {
  const { operationId, summary, description, security = [] } = operation
  const scopes = security.flatMap((alternative) => Object.values(alternative).flat())
  const access =
    security.length === 0
      ? html`<p class="quiet">Requires no API key.</p>`
      : html`<p class="quiet">Requires an API key${scopes.length === 0 ? ' with any scopes' : html` with ${scopes.map((scope, index) => html`${index === 0 ? '' : ' or '}<code>${scope}</code>`)}`}.</p>`
  return html`<section aria-labelledby="${operationId}">
<h3 id="${operationId}">${summary}</h3>
<p class="call"><span class="method ${method}">${method.toUpperCase()}</span><span>${path}</span></p>
${description === undefined ? null : prose(description)}${access}
${describeParameters(operation)}${describeBody(operation)}
<h4>Example</h4>
<pre tabindex="0"><code>${writeCurl({ method, path, operation }, document)}</code></pre>
${describeSuccess(operation)}${describeErrors(operation)}
</section>`
}

function describeParameters({ parameters }: ResolvedOperation): Html | null {
  if (parameters.length === 0) return null
  const rows = parameters.map(({ name, schema, required, description, in: place }) =>
    fieldRow({
      name,
      schema,
      isRequired: required === true,
      text: `${description ?? ''}${place === 'header' ? ' Sent as a header.' : ''}`,
    }),
  )
  return html`<h4>Parameters</h4><div class="wide" role="region" aria-label="Parameters" tabindex="0"><table>
<thead><tr><th scope="col">Parameter</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

function describeBody({ requestBody }: ResolvedOperation): Html | null {
  const schema = requestBody?.content['application/json']?.schema
  if (schema === undefined) return null
  return html`<h4>Body${requestBody?.required === true ? '' : ', optional'}</h4>${fieldTable(schema, 'Body')}`
}

function describeSuccess({ responses }: ResolvedOperation): Html {
  const [status = '', response] = Object.entries(responses)[0] ?? []
  const content = response?.content ?? {}
  const kinds = Object.entries(content).map(
    ([type, media]) => html`<p>${type}</p>${describeMedia(type, media)}`,
  )
  return html`<h4>Response ${status}</h4>${kinds.length === 0 ? html`<p>No body.</p>` : kinds}`
}

function describeMedia(type: string, { schema }: MediaType): Html {
  if (type !== 'text/event-stream') return fieldTable(schema, 'Response')
  const kinds = schema.items?.anyOf ?? (schema.items === undefined ? [] : [schema.items])
  const rows = kinds.map(({ properties, description = '' }) => {
    const { event, data } = properties ?? {}
    const name = typeof event?.['const'] === 'string' ? event['const'] : event?.description
    return fieldRow({
      name: `event: ${name ?? ''}`,
      schema: (data?.['contentSchema'] as MediaType['schema']) ?? {},
      isRequired: false,
      text: description,
    })
  })
  return html`<div class="wide" role="region" aria-label="Events" tabindex="0"><table><thead><tr><th scope="col">Event</th><th scope="col">Data</th><th scope="col">When</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

function describeErrors({ responses }: ResolvedOperation): Html {
  const rows = Object.entries(responses).flatMap(([status, { content }]) => {
    const examples = content?.['application/json']?.examples ?? {}
    return Object.entries(examples).map(
      ([code, { summary }]) =>
        html`<tr><td>${status}</td><td><code>${code}</code></td><td>${sentence(summary)}</td></tr>`,
    )
  })
  return html`<details><summary>${rows.length} possible errors</summary><div class="wide" role="region" aria-label="Errors" tabindex="0"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">When</th></tr></thead><tbody>${rows}</tbody></table></div></details>`
}

/** Writes a shell command that calls the endpoint. `API`, `KEY` and the ids are variables. */
function writeCurl({ method, path, operation }: Endpoint, document: OpenApiDocument): string {
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'id' ? '$ID' : '$DELIVERY_ID'))
  const isStream = Object.values(operation.responses).some(
    ({ content }) => content?.['text/event-stream'] !== undefined,
  )
  const verb =
    method === 'get' || (method === 'post' && hasExample(operation, document))
      ? ''
      : ` -X ${method.toUpperCase()}`
  const key = operation.security?.length === 0 ? '' : ' \\\n  -H "Authorization: Bearer $KEY"'
  const example = findExample(operation, document)
  const body =
    example === undefined ? '' : ` -H "Content-Type: application/json" \\\n  -d '${JSON.stringify(example)}'`
  return `curl${isStream ? ' -N' : ''}${verb} "$API${url}${writeQuery(operation)}"${key}${body}`
}

/** Writes the required query parameters, each with its first example. */
function writeQuery({ parameters }: ResolvedOperation): string {
  const required = parameters.filter(({ in: place, required: isRequired }) => place === 'query' && isRequired)
  return required.length === 0
    ? ''
    : `?${required.map(({ name, schema }) => `${name}=${String(schema.examples?.[0])}`).join('&')}`
}

function hasExample(operation: ResolvedOperation, document: OpenApiDocument): boolean {
  return findExample(operation, document) !== undefined
}

function findExample({ requestBody }: ResolvedOperation, document: OpenApiDocument): unknown {
  const schema = requestBody?.content['application/json']?.schema
  const name = schema?.$ref?.split('/').at(-1) ?? ''
  return (document.components.schemas[name] ?? schema)?.examples?.[0]
}
