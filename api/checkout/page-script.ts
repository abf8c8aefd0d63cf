import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { Context } from 'koa'
import { invariant } from '../../shared/domain/errors.ts'
import { createSharedBody, type SharedBody, sendShared } from '../http/shared-body.ts'

type PageScript = {
  /** Relative to a page. The name contains the content's hash, so it can be cached permanently. */
  readonly path: string
  readonly body: SharedBody
}

/**
 * The pages' script as bundled by `npm run build` and the devnet; `null` if it was not bundled. Pages work without it.
 */
export const PAGE_SCRIPT: PageScript | null = readPageScript()

function readPageScript(): PageScript | null {
  const file = new URL('./browser/bundle.js', import.meta.url)
  if (!existsSync(file)) return null
  const text = readFileSync(file, 'utf8')
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 16)
  return { path: `assets/checkout-${hash}.js`, body: createSharedBody(text) }
}

/** Checks whether a request is for the script below a base path. */
export function isPageScript({ path, method }: Context, base: string): boolean {
  return (
    PAGE_SCRIPT !== null && path === `${base}/${PAGE_SCRIPT.path}` && (method === 'GET' || method === 'HEAD')
  )
}

/** Responds with the script. */
export function servePageScript(ctx: Context): void {
  invariant(PAGE_SCRIPT !== null, 'the page script must be bundled before it is served')
  ctx.set({
    'Cache-Control': 'public, max-age=31536000, immutable',
    'X-Content-Type-Options': 'nosniff',
  })
  ctx.type = 'text/javascript'
  sendShared(ctx, PAGE_SCRIPT.body)
}
