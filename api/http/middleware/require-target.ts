import type { Context, Middleware } from 'koa'
import { AppError } from '../../../shared/domain/errors.ts'
import type { Logger } from '../../../shared/runtime/logger.ts'
import { getRequestId } from './request-id.ts'

/** Maximum number of characters of a target that are logged. */
const MAX_LOGGED_CHARACTERS = 200

type Options = {
  readonly log: Pick<Logger, 'warn'>
  /** Counts the request against the limit of the client's address. */
  readonly limit: (ctx: Context) => Promise<unknown>
}

/**
 * Rejects a request whose target is not a URL, such as `http://[/v1/health`. For such a target, reading `ctx.path`
 * throws.
 */
export function requireTarget({ log, limit }: Options): Middleware {
  return async (ctx, next) => {
    if (hasPath(ctx)) return next()
    await limit(ctx)
    const target = ctx.url.slice(0, MAX_LOGGED_CHARACTERS)
    log.warn({ msg: 'Rejected a request target', request_id: getRequestId(ctx), target })
    throw new AppError('validation_error', 'the target of the request is not a URL')
  }
}

function hasPath(ctx: Context): boolean {
  try {
    return typeof ctx.path === 'string'
  } catch {
    return false
  }
}
