import { randomUUID } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import { invariant } from '../../shared/domain/errors.ts'

/** Names every request: `Request-Id` on the answer, `request_id` in our log, so that a caller can point at it. */
export const requestId: Middleware = (ctx, next) => {
  const id = randomUUID()
  ctx.state['request_id'] = id
  ctx.set('Request-Id', id)
  return next()
}

/** The id that `requestId` gave this request; a UUID. */
export function requestIdOf(ctx: Context): string {
  const id: unknown = ctx.state['request_id']
  invariant(typeof id === 'string', 'a request is named before anything else sees it')
  return id
}
