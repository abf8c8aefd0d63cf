import { type Html, html, prose, sentence } from '../html.ts'
import type { MediaType, OpenApiDocument, Operation, Response } from '../openapi/openapi-types.ts'
import { fieldRow, fieldTable } from './fields.ts'

/** One endpoint, with where it is. */
export type Endpoint = { readonly method: string; readonly path: string; readonly operation: Operation }

/** Writes what an endpoint takes and answers. */
export function describeEndpoint({ method, path, operation }: Endpoint, document: OpenApiDocument): Html {
  const { operationId, summary, description, security = [] } = operation
  const scopes = security.flatMap((alternative) => Object.values(alternative).flat())
  const access =
    security.length === 0
      ? html`<p class="quiet">For everybody, without a key.</p>`
      : html`<p class="quiet">Needs an API key${scopes.length === 0 ? ' with any scopes' : html` with ${scopes.map((scope, index) => html`${index === 0 ? '' : ' or '}<code>${scope}</code>`)}`}.</p>`
  return html`<section aria-labelledby="${operationId}">
<h3 id="${operationId}">${summary}</h3>
<p class="call"><span class="method ${method}">${method.toUpperCase()}</span><span>${path}</span></p>
${description === undefined ? null : prose(description)}${access}
${describeParameters(operation)}${describeBody(operation)}
<h4>Example</h4>
<pre tabindex="0"><code>${curlOf({ method, path, operation }, document)}</code></pre>
${describeAnswer(operation)}${describeErrors(operation, document)}
</section>`
}

function describeParameters({ parameters = [] }: Operation): Html | null {
  if (parameters.length === 0) return null
  const rows = parameters.map(({ name, schema, required, description, in: place }) =>
    fieldRow({
      name,
      schema,
      isRequired: required === true,
      text: `${description ?? ''}${place === 'header' ? ' A header.' : ''}`,
    }),
  )
  return html`<h4>Parameters</h4><div class="wide" role="region" aria-label="Parameters" tabindex="0"><table>
<thead><tr><th scope="col">Parameter</th><th scope="col">Type</th><th scope="col">What it is</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

function describeBody({ requestBody }: Operation): Html | null {
  const schema = requestBody?.content['application/json']?.schema
  if (schema === undefined) return null
  return html`<h4>Body${requestBody?.required === true ? '' : ', optional'}</h4>${fieldTable(schema, 'Body')}`
}

function describeAnswer({ responses }: Operation): Html {
  const [status = '', response] = Object.entries(responses)[0] ?? []
  const content = (response as Response | undefined)?.content ?? {}
  const kinds = Object.entries(content).map(
    ([type, media]) => html`<p>${type}</p>${describeMedia(type, media)}`,
  )
  return html`<h4>Answers ${status}</h4>${kinds.length === 0 ? html`<p>No body.</p>` : kinds}`
}

function describeMedia(type: string, { schema }: MediaType): Html {
  if (type !== 'text/event-stream') return fieldTable(schema, 'Answer')
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
  return html`<div class="wide" role="region" aria-label="Events" tabindex="0"><table><thead><tr><th scope="col">Event</th><th scope="col">Its data</th><th scope="col">When</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

function describeErrors({ responses }: Operation, document: OpenApiDocument): Html {
  const rows = Object.entries(responses).flatMap(([status, response]) => {
    const { content } = '$ref' in response ? resolve(document, response.$ref) : response
    const examples = content?.['application/json']?.examples ?? {}
    return Object.entries(examples).map(
      ([code, { summary }]) =>
        html`<tr><td>${status}</td><td><code>${code}</code></td><td>${sentence(summary)}</td></tr>`,
    )
  })
  return html`<details><summary>${rows.length} errors it can answer</summary><div class="wide" role="region" aria-label="Errors" tabindex="0"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">When</th></tr></thead><tbody>${rows}</tbody></table></div></details>`
}

function resolve(document: OpenApiDocument, reference: string): Response {
  return document.components.responses[reference.split('/').at(-1) ?? ''] ?? { description: '' }
}

/** Writes a call for a shell, in which `API`, `KEY` and the ids are variables. */
function curlOf({ method, path, operation }: Endpoint, document: OpenApiDocument): string {
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'id' ? '$ID' : '$DELIVERY_ID'))
  const isStream = Object.values(operation.responses).some(
    (response) => 'content' in response && response.content?.['text/event-stream'] !== undefined,
  )
  const verb =
    method === 'get' || (method === 'post' && hasExample(operation, document))
      ? ''
      : ` -X ${method.toUpperCase()}`
  const key = operation.security?.length === 0 ? '' : ' \\\n  -H "Authorization: Bearer $KEY"'
  const example = exampleOf(operation, document)
  const body =
    example === undefined ? '' : ` -H "Content-Type: application/json" \\\n  -d '${JSON.stringify(example)}'`
  return `curl${isStream ? ' -N' : ''}${verb} "$API${url}${queryOf(operation)}"${key}${body}`
}

/** What the query must have, as the first of its examples has it. */
function queryOf({ parameters = [] }: Operation): string {
  const required = parameters.filter(({ in: place, required: isRequired }) => place === 'query' && isRequired)
  return required.length === 0
    ? ''
    : `?${required.map(({ name, schema }) => `${name}=${String(schema.examples?.[0])}`).join('&')}`
}

function hasExample(operation: Operation, document: OpenApiDocument): boolean {
  return exampleOf(operation, document) !== undefined
}

function exampleOf({ requestBody }: Operation, document: OpenApiDocument): unknown {
  const schema = requestBody?.content['application/json']?.schema
  const name = schema?.$ref?.split('/').at(-1) ?? ''
  return (document.components.schemas[name] ?? schema)?.examples?.[0]
}
