import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Context } from 'koa'

type PageScript = {
  /** From a page: its name changes with its content, so that it can be kept for ever. */
  readonly path: string
  readonly text: string
  readonly compressed: Buffer
}

/** The script of the pages, as `npm run build` and the devnet bundle it; `null` if neither did. Pages need none. */
export const PAGE_SCRIPT: PageScript | null = readPageScript()

function readPageScript(): PageScript | null {
  const file = new URL('./browser/bundle.js', import.meta.url)
  if (!existsSync(file)) return null
  const text = readFileSync(file, 'utf8')
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 16)
  return { path: `assets/checkout-${hash}.js`, text, compressed: gzipSync(text, { level: 9 }) }
}

/** Answers the script to who asks for it below a base path; tells whether this was such a request. */
export function servePageScript(ctx: Context, base: string): boolean {
  if (PAGE_SCRIPT === null || ctx.path !== `${base}/${PAGE_SCRIPT.path}`) return false
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return false
  ctx.set({
    'Cache-Control': 'public, max-age=31536000, immutable',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept-Encoding',
  })
  ctx.status = 200
  ctx.type = 'text/javascript'
  if (ctx.acceptsEncodings('gzip', 'identity') === 'gzip') {
    ctx.set('Content-Encoding', 'gzip')
    ctx.body = PAGE_SCRIPT.compressed
  } else ctx.body = PAGE_SCRIPT.text
  return true
}
