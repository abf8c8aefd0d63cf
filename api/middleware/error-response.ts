import type { Middleware } from 'koa'
import { errorCode, isRetryable } from '../../shared/db/connect.ts'
import { AppError, HTTP_STATUS } from '../../shared/domain/errors.ts'
import type { Logger } from '../../shared/runtime/logger.ts'

/** The one shape of every answer that is no success. */
export type ErrorBody = {
  readonly error: { readonly code: string; readonly message: string; readonly param?: string }
}

/**
 * Answers whatever goes wrong further in with the status of its code and the Error shape.
 *
 * Headers set before the throw stay. What is no `AppError` becomes `service_unavailable` if the database could not
 * be asked, else `internal_error`; both are logged, and the caller learns nothing of the cause.
 */
export function errorResponse(log: Pick<Logger, 'error'>): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const failure = toAppError(error)
      const status = HTTP_STATUS[failure.code]
      if (status === 500 || failure !== error) logFailure(log, { error, code: failure.code, ctx })
      // A stream that has begun has no status left to change.
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

/** Writes the Error shape. */
export function presentError({ code, message, param }: AppError): ErrorBody {
  return { error: { code, message, ...(param === undefined ? {} : { param }) } }
}

/** Time for a database to fail over or a node to answer again; a client's own backoff does the rest. */
const RETRY_AFTER_SECONDS = '5'

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  return isDatabaseDown(error)
    ? new AppError('service_unavailable', 'the service cannot reach its database now; try again', {
        cause: error,
      })
    : new AppError('internal_error', 'something went wrong on our side', { cause: error })
}

/** 57014 is a statement past its time. */
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
