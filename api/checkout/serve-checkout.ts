import type { Context, Middleware } from 'koa'
import { AppError } from '../../shared/domain/errors.ts'
import { compressBody } from '../http/compress-body.ts'
import { errorResponse } from '../http/middleware/error-response.ts'
import type { RateLimitPolicy } from '../http/middleware/rate-limit.ts'
import { createReadEscrow } from './escrow/read-escrow-briefly.ts'
import { limitAddress, limitReads } from './limit-visitors.ts'
import { parseLogoPath } from './logo-path.ts'
import { findMerchantScript, serveMerchantScript } from './merchant-script.ts'
import { pageHeaders } from './page-headers.ts'
import { getPageLocale } from './page-locale.ts'
import { findPageScript, type PageName, servePageScript } from './page-script.ts'
import type { ReadCheckout } from './read-checkout.ts'
import { renderFailure } from './render-failure.ts'
import type { Resource, ResourceDeps } from './resource.ts'
import { findResource } from './resources.ts'
import { serveLogo } from './serve-logo.ts'

type Deps = Omit<ResourceDeps, 'reread' | 'readEscrow'> & {
  /** Rate limit, applied to each address and, separately, to each charge. */
  readonly policy: RateLimitPolicy
  readonly read: ReadCheckout
}

/**
 * Serves the page of a charge one segment below the path of CHECKOUT_BASE_URL, and its resources below the page. Also
 * serves the scripts and the merchants' logos. Without that setting it serves nothing.
 *
 * Anyone who has the id may see the page (decisions 8.5). Once the charge is read, its `frameOrigins` may embed every
 * response, even an error, unless the resource is never framed. The content security policy of the page itself also
 * allows the page's own content (`page-headers.ts`). A malformed id is handled like an unknown id, with the same work.
 */
export function serveCheckout(deps: Deps): Middleware {
  const { checkoutBaseUrl } = deps.config
  if (checkoutBaseUrl === null) return (_ctx, next) => next()
  const base = new URL(checkoutBaseUrl).pathname.replace(/\/$/, '')
  // Until the charge is read, its merchant is unknown, so no site may embed the response.
  const headers = pageHeaders([])
  const guard = errorResponse(deps.log)
  const readEscrow = createReadEscrow(deps)
  return async (ctx, next) => {
    const pageScript = findPageScript(ctx, base)
    if (pageScript !== null) {
      await limitAddress(ctx, deps)
      return servePageScript(ctx, pageScript)
    }
    const script = findMerchantScript(base, ctx)
    if (script !== null) {
      await limitAddress(ctx, deps)
      return serveMerchantScript(ctx, script)
    }
    const logo = parseLogoRequest(base, ctx)
    if (logo !== null) return sendLogo(ctx, logo, deps)
    const checkoutRequest = parseRequest(base, ctx.path)
    if (checkoutRequest === null) return next()
    const { resource } = checkoutRequest
    // The id is the secret: from here on, logs and metrics must record this path without it.
    ctx.path = `${base}/:id${resource.path}`
    ctx['_matchedRoute'] = ctx.path
    ctx.set({ ...headers, ...(resource.isNeverFramed ? NEVER_FRAMED : {}), ...resource.headers })
    await guard(ctx, () => handleRequest(ctx, checkoutRequest, { ...deps, readEscrow }))
    // A stream is written without Koa, so its status can no longer change.
    if (ctx.respond === false) return
    if (resource.page !== undefined && !isPosted(ctx, resource)) describePage(ctx, resource.page)
    if (resource.isCompressed) await compressBody(ctx)
  }
}

/** Returns whether a script, not a form, posted to the page's URL. The response to such a request is JSON. */
function isPosted({ method }: Context, { methods, isForm = false }: Resource): boolean {
  return method === 'POST' && methods.includes('POST') && !isForm
}

/** For browsers that do not support `frame-ancestors`. */
const NEVER_FRAMED = { 'X-Frame-Options': 'DENY' }

function describePage(ctx: Context, page: PageName): void {
  if (ctx.status >= 400) ctx.body = renderFailure(ctx.status, getPageLocale(ctx, page))
  if (ctx.status !== 303) ctx.type = 'html'
}

function parseLogoRequest(base: string, { path, method }: Context): string | null {
  if ((method !== 'GET' && method !== 'HEAD') || !path.startsWith(`${base}/`)) return null
  return parseLogoPath(path.slice(base.length + 1))
}

async function sendLogo(ctx: Context, hash: string, deps: Deps): Promise<void> {
  await limitAddress(ctx, deps)
  await serveLogo(ctx, hash, deps)
}

type CheckoutRequest = { readonly id: string; readonly resource: Resource }

async function handleRequest(
  ctx: Context,
  { id, resource }: CheckoutRequest,
  deps: Deps & Pick<ResourceDeps, 'readEscrow'>,
): Promise<void> {
  const { read } = deps
  await limitAddress(ctx, deps)
  if (!resource.methods.includes(ctx.method)) {
    const allowed = resource.methods.join(', ')
    ctx.set('Allow', allowed)
    throw new AppError('method_not_allowed', `${ctx.method} is not one of ${allowed}`)
  }
  // A browser's preflight request. The response has only headers, which reveal nothing about the charge.
  if (ctx.method === 'OPTIONS') {
    ctx.status = 204
    return
  }
  const find = async (now: Date) => {
    const reading = await read(id, now)
    if (reading === null) throw new AppError('charge_not_found', 'no charge has this id')
    return { ...reading, now }
  }
  const reading = await find(new Date())
  if (!resource.isNeverFramed) ctx.set(pageHeaders(reading.frameOrigins))
  // Counted after the read, because otherwise requests with invented ids would fill the table of rate limits.
  await limitReads(ctx, deps, reading.checkout.id)
  ctx.status = 200
  await resource.answer(ctx, reading, { ...deps, reread: () => find(new Date()) })
}

function parseRequest(base: string, path: string): CheckoutRequest | null {
  if (!path.startsWith(`${base}/`)) return null
  const rest = path.slice(base.length + 1)
  const slash = rest.indexOf('/')
  const resource = findResource(slash === -1 ? '' : rest.slice(slash))
  return resource === null ? null : { id: slash === -1 ? rest : rest.slice(0, slash), resource }
}
