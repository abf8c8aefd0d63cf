import type { Context, Middleware } from 'koa'
import { AppError } from '../../../shared/domain/errors.ts'
import type { Logger } from '../../../shared/runtime/logger.ts'
import { withTimeLimit } from '../../../shared/runtime/time-limit.ts'

/**
 * Maximum duration of a request: longer than a statement (30 s) or a wait for the daemon (30 s) can take, and shorter
 * than the 60 s after which most clients and proxies time out.
 */
const MAX_DURATION_MS = 45_000

type Options = { readonly log: Pick<Logger, 'error'>; readonly maxMs?: number }

/**
 * Responds with 503 to a request that takes too long.
 *
 * A commit can wait indefinitely for a synchronous standby that does not respond, because `statement_timeout` does not
 * apply to commits. The handler continues and is never canceled: PostgreSQL reports a canceled commit as successful
 * although no standby has it, so the client could receive 201 for a charge that the next failover loses. A response
 * that has started, such as a stream, is not limited.
 */
export function limitDuration({ log, maxMs = MAX_DURATION_MS }: Options): Middleware {
  return async (ctx, next) => {
    const work = next()
    const isDone = await withTimeLimit(
      work.then(() => true),
      { ms: maxMs, late: false },
    )
    if (isDone || hasStarted(ctx)) return work
    work.catch((error: unknown) => log.error({ msg: 'A request failed after its response was sent', error }))
    throw new AppError('service_unavailable', `the request took longer than ${maxMs / 1000} s; try again`)
  }
}

/** @throws {AppError} `service_unavailable` if the response was already sent, so that the handler does not run */
export function requireUnanswered({ headerSent }: Pick<Context, 'headerSent'>): void {
  if (headerSent)
    throw new AppError('service_unavailable', 'the response was sent before the request was handled')
}

function hasStarted(ctx: Context): boolean {
  return ctx.headerSent || ctx.respond === false
}
