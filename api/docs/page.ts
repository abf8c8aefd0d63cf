import { ERROR_CODES, HTTP_STATUS } from '../../shared/domain/errors.ts'
import { Html, html, prose, sentence } from '../../shared/runtime/html.ts'
import { fieldRow, fieldTable, getAnchor } from './fields.ts'
import { GUIDES, type Guide } from './guides.ts'
import { ERROR_MEANING } from './openapi/error-meanings.ts'
import type { OpenApiDocument } from './openapi/openapi-types.ts'
import { describeEndpoint, type Endpoint } from './operation.ts'
import { resolveOperation } from './resolve-operation.ts'
import { STYLE } from './style.ts'

/** Renders the documentation page: guides, then the contents of the API document. The page needs no script. */
export function renderDocs(document: OpenApiDocument): string {
  const chapters = listChapters(document)
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title}: API</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<div class="page">
<nav aria-label="Contents">${renderContents(chapters)}</nav>
<main id="content">
<h1>${document.info.title}</h1>
<p class="lead">API ${document.info.version}. Machine-readable: <a href="/v1/openapi.json">/v1/openapi.json</a>, OpenAPI 3.1.</p>
${prose(document.info.description)}
${GUIDES.map(renderGuide)}
${chapters.map((chapter) => renderChapter(chapter, document))}
${renderEvents(document)}
${renderErrors()}
${renderSchemas(document)}
</main>
</div>
</body>
</html>
`
  return page.text
}

type Chapter = {
  readonly name: string
  readonly description: string
  readonly endpoints: readonly Endpoint[]
}

function listChapters(document: OpenApiDocument): readonly Chapter[] {
  const endpoints = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method,
      path,
      operation: resolveOperation(operation, document),
    })),
  )
  return document.tags
    .map((tag) => ({
      ...tag,
      endpoints: endpoints.filter(({ operation }) => operation.tags.includes(tag.name)),
    }))
    .filter((chapter) => chapter.endpoints.length > 0)
}

function renderContents(chapters: readonly Chapter[]): readonly Html[] {
  const list = (title: string, links: readonly { id: string; text: string }[]): Html =>
    html`<h2>${title}</h2><ul>${links.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul>`
  return [
    list(
      'Guides',
      GUIDES.map(({ id, title }) => ({ id, text: title })),
    ),
    ...chapters.map(({ name, endpoints }) =>
      list(
        name,
        endpoints.map(({ operation }) => ({ id: operation.operationId, text: operation.summary })),
      ),
    ),
    list('Reference', [
      { id: 'events', text: 'Webhook events' },
      { id: 'errors', text: 'Errors' },
      { id: 'schemas', text: 'Schemas' },
    ]),
  ]
}

function renderGuide({ id, title, text, examples = [] }: Guide): Html {
  const code = examples.map(
    (example) => html`<pre tabindex="0" id="${example.id}"><code>${example.code}</code></pre>`,
  )
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${prose(text)}${code}</section>`
}

function renderChapter({ name, description, endpoints }: Chapter, document: OpenApiDocument): Html {
  return html`<h2>${name}</h2>${prose(description)}${endpoints.map((endpoint) => describeEndpoint(endpoint, document))}`
}

function renderEvents(document: OpenApiDocument): Html {
  const events = Object.entries(document.webhooks).flatMap(([type, { post }]) =>
    post === undefined ? [] : [{ type, operation: resolveOperation(post, document) }],
  )
  const rows = events.map(({ type, operation: { requestBody, summary } }) =>
    fieldRow({
      name: type,
      schema: requestBody?.content['application/json']?.schema ?? {},
      isRequired: false,
      text: summary,
    }),
  )
  const headers = (events[0]?.operation.parameters ?? []).map(({ name, schema, description = '' }) =>
    fieldRow({ name, schema, isRequired: true, text: description }),
  )
  return html`<section aria-labelledby="events"><h2 id="events">Webhook events</h2>
<p>Each event is sent as a POST request to your URL.</p>
<div class="wide" role="region" aria-label="Events" tabindex="0"><table><thead><tr><th scope="col">Event</th><th scope="col">Body</th><th scope="col">When</th></tr></thead><tbody>${rows}</tbody></table></div>
<h4>Headers</h4><div class="wide" role="region" aria-label="Headers" tabindex="0"><table><thead><tr><th scope="col">Header</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead><tbody>${headers}</tbody></table></div></section>`
}

function renderErrors(): Html {
  const rows = ERROR_CODES.map(
    (code) =>
      html`<tr><td>${HTTP_STATUS[code]}</td><td><code>${code}</code></td><td>${sentence(ERROR_MEANING[code])}</td></tr>`,
  )
  return html`<section aria-labelledby="errors"><h2 id="errors">Errors</h2>
${prose('The body of every error response is `{ "error": { "code", "message", "param"? } }`. Codes never change, messages may. Quote the `Request-Id` of the response when you contact us about an error.')}
<div class="wide" role="region" aria-label="Errors" tabindex="0"><table><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">When</th></tr></thead><tbody>${rows}</tbody></table></div></section>`
}

function renderSchemas({ components }: OpenApiDocument): Html {
  const all = Object.entries(components.schemas).map(
    ([name, schema]) =>
      html`<section aria-labelledby="${getAnchor(name)}"><h3 id="${getAnchor(name)}">${name}</h3>${schema.description === undefined ? null : prose(schema.description)}${fieldTable(schema, name)}</section>`,
  )
  return html`<section aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>${all}</section>`
}
