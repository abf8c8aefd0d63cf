import { createHash } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import { createSharedBody, sendShared } from '../http/shared-body.ts'
import type { OpenApiDocument } from './openapi/openapi-types.ts'
import { renderDocs } from './page.ts'
import { STYLE } from './style.ts'

type Options = {
  /** Counts the request against the limit of its address. */
  readonly limit: (ctx: Context) => Promise<unknown>
}

/** Serves the documentation page at `/docs`, rendered once. The page may load no resources and run no scripts. */
export function serveDocs(document: OpenApiDocument, { limit }: Options): Middleware {
  const page = createSharedBody(renderDocs(document))
  const styleHash = createHash('sha256').update(STYLE).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  return async (ctx, next) => {
    if (ctx.path !== '/docs' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
    await limit(ctx)
    ctx.set({
      'Cache-Control': 'public, max-age=300',
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    })
    ctx.type = 'html'
    sendShared(ctx, page)
  }
}
