import type { Context, Middleware } from 'koa'
import { AppError } from '../../shared/domain/errors.ts'
import { errorResponse } from '../middleware/error-response.ts'
import type { RateLimitPolicy } from '../middleware/rate-limit.ts'
import { limitAddress, limitReads } from './limit-visitors.ts'
import { parseLogoPath } from './logo-path.ts'
import { isPageScript, servePageScript } from './page-script.ts'
import { pageHeaders } from './policy.ts'
import type { ReadCheckout } from './read-checkout.ts'
import { renderFailure } from './render-failure.ts'
import type { Resource, ResourceDeps } from './resource.ts'
import { findResource } from './resources.ts'
import { serveLogo } from './serve-logo.ts'
import { spokenTo } from './spoken-to.ts'

type Deps = Omit<ResourceDeps, 'reread'> & {
  /** Of each address, and of each charge. */
  readonly policy: RateLimitPolicy
  readonly read: ReadCheckout
}

/**
 * Serves the page of a charge one step below the path of CHECKOUT_BASE_URL, and what belongs to it below that; without
 * that setting nothing.
 *
 * Whoever has the id may see it (decisions 8.5). All answers there have the same headers. What is no id is answered as an
 * id of nothing is, after the same work.
 */
export function serveCheckout(deps: Deps): Middleware {
  const { checkoutBaseUrl } = deps.config
  if (checkoutBaseUrl === null) return (_ctx, next) => next()
  const base = new URL(checkoutBaseUrl).pathname.replace(/\/$/, '')
  const headers = pageHeaders(deps.config.checkoutFrameOrigins)
  const guard = errorResponse(deps.log)
  return async (ctx, next) => {
    if (isPageScript(ctx, base)) {
      await limitAddress(ctx, deps)
      return servePageScript(ctx)
    }
    const logo = askedLogo(base, ctx)
    if (logo !== null) return answerLogo(ctx, logo, deps)
    const asked = askedBelow(base, ctx.path)
    if (asked === null) return next()
    const { resource } = asked
    // The id is the secret: from here on, whoever writes the path down, as logs do, writes this.
    ctx.path = `${base}/:id${resource.path}`
    ctx['_matchedRoute'] = ctx.path
    ctx.set({ ...headers, ...resource.headers })
    await guard(ctx, () => answer(ctx, asked, deps))
    // A stream is written beside Koa, and has no status left to change.
    if (ctx.respond === false || !resource.isPage) return
    if (ctx.status >= 400) ctx.body = renderFailure(ctx.status, spokenTo(ctx))
    if (ctx.status !== 303) ctx.type = 'html'
  }
}

function askedLogo(base: string, { path, method }: Context): string | null {
  if ((method !== 'GET' && method !== 'HEAD') || !path.startsWith(`${base}/`)) return null
  return parseLogoPath(path.slice(base.length + 1))
}

async function answerLogo(ctx: Context, hash: string, deps: Deps): Promise<void> {
  await limitAddress(ctx, deps)
  await serveLogo(ctx, hash, deps)
}

type Asked = { readonly id: string; readonly resource: Resource }

async function answer(ctx: Context, { id, resource }: Asked, deps: Deps): Promise<void> {
  const { read } = deps
  await limitAddress(ctx, deps)
  if (!resource.methods.includes(ctx.method)) {
    const allowed = resource.methods.join(', ')
    ctx.set('Allow', allowed)
    throw new AppError('method_not_allowed', `${ctx.method} is not one of ${allowed}`)
  }
  // What a browser asks before a page of another origin may: its answer is in the headers, and tells of no charge.
  if (ctx.method === 'OPTIONS') {
    ctx.status = 204
    return
  }
  const find = async (now: Date) => {
    const reading = await read(id, now)
    if (reading === null) throw new AppError('charge_not_found', 'there is no charge with this id')
    return { ...reading, now }
  }
  const reading = await find(new Date())
  // After the read, or requests with invented ids would fill the table of buckets.
  await limitReads(ctx, deps, reading.checkout.id)
  ctx.status = 200
  await resource.answer(ctx, reading, { ...deps, reread: () => find(new Date()) })
}

function askedBelow(base: string, path: string): Asked | null {
  if (!path.startsWith(`${base}/`)) return null
  const rest = path.slice(base.length + 1)
  const slash = rest.indexOf('/')
  const resource = findResource(slash === -1 ? '' : rest.slice(slash))
  return resource === null ? null : { id: slash === -1 ? rest : rest.slice(0, slash), resource }
}
