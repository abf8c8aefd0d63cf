import type { Context, Middleware } from 'koa'
import { AppError } from '../../shared/domain/errors.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { errorResponse } from '../middleware/error-response.ts'
import { addressBucket, type RateLimiter, type RateLimitPolicy } from '../middleware/rate-limit.ts'
import { PAGE_HEADERS } from './policy.ts'
import type { ReadCheckout } from './read-checkout.ts'
import { renderCheckout } from './render-checkout.ts'
import { renderFailure } from './render-failure.ts'

type Deps = {
  readonly config: { readonly checkoutBaseUrl: string | null }
  readonly log: Pick<Logger, 'error'>
  readonly limiter: RateLimiter
  /** Of each address, and of each charge. */
  readonly policy: RateLimitPolicy
  readonly read: ReadCheckout
}

/**
 * Serves the page of a charge one step below the path of CHECKOUT_BASE_URL; without that setting nothing.
 *
 * Whoever has the id may see it (decisions 8.5). Every answer there is a page, failures too, and all have the same
 * headers. What is no id is answered as an id of nothing is, after the same work.
 */
export function serveCheckout(deps: Deps): Middleware {
  const { checkoutBaseUrl } = deps.config
  if (checkoutBaseUrl === null) return (_ctx, next) => next()
  const base = new URL(checkoutBaseUrl).pathname.replace(/\/$/, '')
  const guard = errorResponse(deps.log)
  return async (ctx, next) => {
    const id = idBelow(base, ctx.path)
    if (id === null) return next()
    // The id is the secret: from here on, whoever writes the path down, as logs do, writes this.
    ctx.path = `${base}/:id`
    ctx['_matchedRoute'] = ctx.path
    ctx.set(PAGE_HEADERS)
    await guard(ctx, () => answer(ctx, id, deps))
    if (ctx.status >= 400) ctx.body = renderFailure(ctx.status)
    ctx.type = 'html'
  }
}

async function answer(ctx: Context, id: string, { limiter, policy, read }: Deps): Promise<void> {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
    ctx.set('Allow', 'GET, HEAD')
    throw new AppError('method_not_allowed', `${ctx.method} is not one of GET, HEAD`)
  }
  await limiter.take(ctx, { bucket: `checkout:${addressBucket(ctx.ip)}`, policy })
  const now = new Date()
  const checkout = await read(id, now)
  if (checkout === null) throw new AppError('charge_not_found', 'there is no charge with this id')
  // After the read: before it, whoever makes ids up could fill the table of buckets.
  await limiter.take(ctx, { bucket: `checkout:${checkout.id}`, policy })
  ctx.status = 200
  ctx.body = renderCheckout(checkout, { query: new URLSearchParams(ctx.querystring), now })
}

function idBelow(base: string, path: string): string | null {
  if (!path.startsWith(`${base}/`)) return null
  const rest = path.slice(base.length + 1)
  return rest.includes('/') ? null : rest
}
