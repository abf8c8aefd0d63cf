import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'

/** Names every request: `Request-Id` on the answer, `request_id` in our log, so that a caller can point at it. */
export const requestId: Middleware = (ctx, next) => {
  const id = randomUUID()
  ctx.state['request_id'] = id
  ctx.set('Request-Id', id)
  return next()
}
