import type { Context, Middleware } from 'koa'
import { createSharedBody, sendShared } from '../http/shared-body.ts'
import type { OpenApiDocument } from './openapi/openapi-types.ts'
import { renderDocs } from './page.ts'
import { STYLE_POLICY } from './style.ts'

type Options = {
  /** Counts the request against the limit of the client's address. */
  readonly limit: (ctx: Context) => Promise<unknown>
}

/** Serves the documentation page at `/docs`, rendered once. The page may load no resources and run no scripts. */
export function serveDocs(document: OpenApiDocument, { limit }: Options): Middleware {
  const page = createSharedBody(renderDocs(document))
  return async (ctx, next) => {
    if (ctx.path !== '/docs' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
    await limit(ctx)
    ctx.set({
      'Cache-Control': 'public, max-age=300',
      'Content-Security-Policy': STYLE_POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    })
    ctx.type = 'html'
    sendShared(ctx, page)
  }
}
