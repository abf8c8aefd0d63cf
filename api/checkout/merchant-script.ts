import { readdirSync, readFileSync } from 'node:fs'
import type { Context } from 'koa'
import { createSharedBody, type SharedBody, sendShared } from '../http/shared-body.ts'

const DIRECTORY = new URL('./embed/versions/', import.meta.url)

/**
 * All published versions of the script for merchants' pages, by their paths below the checkout's base URL. A merchant's
 * page pins a version by its hash, so a version is never changed or removed.
 */
const VERSIONS: ReadonlyMap<string, SharedBody> = new Map(
  readdirSync(DIRECTORY).map((file) => [
    `v${file.replace('.js', '')}/checkout.js`,
    createSharedBody(readFileSync(new URL(file, DIRECTORY), 'utf8')),
  ]),
)

/** Finds the script version that a request names; returns `null` for any other request. */
export function findMerchantScript(base: string, { path, method }: Context): SharedBody | null {
  if ((method !== 'GET' && method !== 'HEAD') || !path.startsWith(`${base}/`)) return null
  return VERSIONS.get(path.slice(base.length + 1)) ?? null
}

/**
 * Responds with a script version. Pages of all origins may read it, because otherwise a browser could not check its
 * hash.
 */
export function serveMerchantScript(ctx: Context, script: SharedBody): void {
  ctx.set({
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Content-Type-Options': 'nosniff',
  })
  ctx.type = 'text/javascript'
  sendShared(ctx, script)
}
