import type { Middleware } from 'koa'
import { errorCode, isRetryable } from '../../../shared/db/connect.ts'
import { AppError, HTTP_STATUS } from '../../../shared/domain/errors.ts'
import type { Logger } from '../../../shared/runtime/logger.ts'

/**
 * Converts any error into a response with the status of its code and the Error shape.
 *
 * Headers set before the throw are kept. An error that is not an `AppError` becomes `service_unavailable` if the
 * database could not be queried, otherwise `internal_error`. Such an error is logged, and the response omits it.
 */
export function errorResponse(log: Pick<Logger, 'error'>): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const failure = toAppError(error)
      const status = HTTP_STATUS[failure.code]
      if (status === 500 || failure !== error) logFailure(log, { error, code: failure.code, ctx })
      // The status of a stream that has started can no longer change.
      if (ctx.res.headersSent) {
        ctx.res.destroy()
        return
      }
      if (status === 503 && !ctx.res.hasHeader('Retry-After')) ctx.set('Retry-After', RETRY_AFTER_SECONDS)
      ctx.status = status
      ctx.body = presentError(failure)
    }
  }
}

/** Creates the body of an error response. */
export function presentError({ code, message, param }: AppError) {
  return { error: { code, message, ...(param === undefined ? {} : { param }) } }
}

/**
 * Value of `Retry-After` in a 503: the time for a database to fail over or a node to recover. Clients add their own
 * backoff.
 */
export const RETRY_AFTER_SECONDS = '5'

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  return isDatabaseDown(error)
    ? new AppError('service_unavailable', 'the service cannot reach its database; try again', {
        cause: error,
      })
    : new AppError('internal_error', 'internal error', { cause: error })
}

/**
 * Returns whether the database cannot be queried at the moment. 57014 is the code of a statement that exceeded its
 * timeout.
 */
function isDatabaseDown(error: unknown): boolean {
  return isRetryable(error) || errorCode(error) === '57014'
}

function logFailure(
  log: Pick<Logger, 'error'>,
  failure: { error: unknown; code: string; ctx: { method: string; path: string; state: object } },
): void {
  const { error, code, ctx } = failure
  log.error({ msg: 'Failed a request', code, method: ctx.method, path: ctx.path, ...ctx.state, error })
}
