import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { Context } from 'koa'
import { createSharedBody, type SharedBody, sendShared } from '../http/shared-body.ts'
import { LANGUAGES, type Language } from './languages.ts'
import { listPaymentTexts } from './list-script-texts.ts'

/** The pages that have a script: the charge's page, and the pages below it. */
const PAGES = ['checkout', 'claim', 'escrow'] as const

export type PageName = (typeof PAGES)[number]

/** The relative path from each page to the base path of the pages. */
const PARENTS: Readonly<Record<PageName, string>> = { checkout: '', claim: '../../', escrow: '../' }

/** The bundles of `.ci/bundle-checkout.mjs`. */
export type ScriptBundles = {
  readonly pages: Readonly<Record<PageName, string>>
  /** The payment code. The page's script loads it only for a payment through a wallet. */
  readonly payment: string
}

/**
 * Scripts by their paths below the base path of the pages. The paths contain a hash of all scripts, so the scripts can
 * be cached permanently.
 */
const SCRIPTS: ReadonlyMap<string, SharedBody> = new Map(
  [...nameScripts(readBundles(new URL('./browser/bundle/', import.meta.url)))].map(([path, text]) => [
    path,
    createSharedBody(text),
  ]),
)

/**
 * Returns the path of a page's script, relative to that page; `null` if the scripts were not bundled. Pages work
 * without a script.
 */
export function findScriptPath(page: PageName): string | null {
  const path = [...SCRIPTS.keys()].find((each) => each.endsWith(`/${page}.js`))
  return path === undefined ? null : `${PARENTS[page]}${path}`
}

/** Returns `null` if the directory does not exist. */
export function readBundles(directory: URL): ScriptBundles | null {
  if (!existsSync(directory)) return null
  const read = (name: string) => readFileSync(new URL(name, directory), 'utf8')
  const pages = PAGES.map((page) => [page, read(`${page}.js`)] as const)
  return { pages: Object.fromEntries(pages) as ScriptBundles['pages'], payment: read('payment.js') }
}

/**
 * Returns the scripts by their paths, the pages' scripts first. The payment code has one script per language, which
 * includes the texts, so that a page loads the code and its texts with one request.
 */
export function nameScripts(bundles: ScriptBundles | null): ReadonlyMap<string, string> {
  if (bundles === null) return new Map()
  const payments = (Object.keys(LANGUAGES) as readonly Language[]).map((language) => {
    const texts = JSON.stringify(listPaymentTexts(language))
    return [`payment-${language}.js`, `${bundles.payment};export const TEXTS=${texts}\n`] as const
  })
  const pages = PAGES.map((page) => [`${page}.js`, bundles.pages[page]] as const)
  const files = [...pages, ...payments]
  const hash = createHash('sha256').update(JSON.stringify(files)).digest('base64url').slice(0, 16)
  return new Map(files.map(([name, text]) => [`assets/${hash}/${name}`, text]))
}

/** Finds the script that a request names below a base path; returns `null` for any other request. */
export function findPageScript({ path, method }: Context, base: string): SharedBody | null {
  if ((method !== 'GET' && method !== 'HEAD') || !path.startsWith(`${base}/`)) return null
  return SCRIPTS.get(path.slice(base.length + 1)) ?? null
}

export function servePageScript(ctx: Context, script: SharedBody): void {
  ctx.set({
    'Cache-Control': 'public, max-age=31536000, immutable',
    'X-Content-Type-Options': 'nosniff',
  })
  ctx.type = 'text/javascript'
  sendShared(ctx, script)
}
