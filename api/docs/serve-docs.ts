import { createHash } from 'node:crypto'
import type { Middleware } from 'koa'
import type { OpenApiDocument } from '../openapi/openapi-types.ts'
import { renderDocs } from './page.ts'
import { STYLE } from './style.ts'

/** Serves the page of a document at `/docs`, written once; it may load nothing, from nowhere, and run nothing. */
export function serveDocs(document: OpenApiDocument): Middleware {
  const page = renderDocs(document)
  const etag = createHash('sha256').update(page).digest('base64url')
  const styleHash = createHash('sha256').update(STYLE).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  return async (ctx, next) => {
    if (ctx.path !== '/docs' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
    ctx.set({
      'Cache-Control': 'public, max-age=300',
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    })
    ctx.etag = etag
    ctx.status = 200
    ctx.type = 'html'
    if (ctx.fresh) ctx.status = 304
    else ctx.body = page
  }
}
