import type { Context, Middleware } from 'koa'
import { Html, html } from '../../shared/runtime/html.ts'
import type { OpenApiDocument } from './openapi/openapi-types.ts'
import { STYLE, STYLE_POLICY } from './style.ts'

/**
 * Serves `/`: a short page with links to the documentation for browsers, and the same links as JSON for programs.
 *
 * @param limit - counts the request, and throws `rate_limited` above the limit
 */
export function serveRoot(
  { info }: Pick<OpenApiDocument, 'info'>,
  limit: (ctx: Context) => Promise<void>,
): Middleware {
  const page = renderRoot(info.title)
  return async (ctx, next) => {
    if (ctx.path !== '/' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
    await limit(ctx)
    ctx.set({ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' })
    ctx.vary('Accept')
    if (ctx.accepts('json', 'html') !== 'html') {
      ctx.body = { name: info.title, version: info.version, ...LINKS }
      return
    }
    ctx.set('Content-Security-Policy', STYLE_POLICY)
    ctx.type = 'html'
    ctx.body = page
  }
}

const LINKS = { documentation: '/docs', openapi: '/v1/openapi.json', health: '/v1/health' }

function renderRoot(title: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>This is the API. Read <a href="${LINKS.documentation}">the documentation</a>. Programs can read
<a href="${LINKS.openapi}">the OpenAPI document</a>.</p>
</main>
</body>
</html>
`.text
}
