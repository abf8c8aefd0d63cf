import type { Middleware } from 'koa'
import type { Logger } from '../../shared/runtime/logger.ts'
import { requestIdOf } from './request-id.ts'

/** Methods that change nothing. */
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Logs each request that changed something, with what leads on from there: its id, which the daemon logs and writes as
 * `api_request_id`, and the charge it made. Those that were refused are told to the caller alone; failures of ours are
 * logged where they are answered.
 */
export function logChanges(log: Pick<Logger, 'info'>): Middleware {
  return async (ctx, next) => {
    await next()
    if (READS.has(ctx.method) || ctx.status >= 400) return
    log.info({
      msg: 'Did what a request asked',
      request_id: requestIdOf(ctx),
      method: ctx.method,
      route: ctx['_matchedRoute'],
      status: ctx.status,
      charge_id: ctx.state['charge_id'],
    })
  }
}
