import type { Middleware } from 'koa'
import type { Logger } from '../../../shared/runtime/logger.ts'
import { getRequestId } from './request-id.ts'

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Logs each successful request that can change data, with the ids that lead to its effects: the charge's id, and the
 * request's id, which the daemon logs and stores as `api_request_id`. Rejections are not logged, because the response
 * explains them. `errorResponse` logs internal errors.
 */
export function logMutations(log: Pick<Logger, 'info'>): Middleware {
  return async (ctx, next) => {
    await next()
    if (READS.has(ctx.method) || ctx.status >= 400) return
    log.info({
      msg: 'Processed a request',
      request_id: getRequestId(ctx),
      method: ctx.method,
      route: ctx['_matchedRoute'],
      status: ctx.status,
      charge_id: ctx.state['charge_id'],
    })
  }
}
