import { randomUUID } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import { invariant } from '../../../shared/domain/errors.ts'

/** Assigns an id to every request: `Request-Id` in the response, `request_id` in our log. */
export const requestId: Middleware = (ctx, next) => {
  const id = randomUUID()
  ctx.state['request_id'] = id
  ctx.set('Request-Id', id)
  return next()
}

/** Returns the id that `requestId` assigned to this request; a UUID. */
export function getRequestId(ctx: Context): string {
  const id: unknown = ctx.state['request_id']
  invariant(typeof id === 'string', '`requestId` runs before all other middleware')
  return id
}
