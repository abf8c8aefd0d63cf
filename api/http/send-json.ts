import type { Context } from 'koa'

/** Responds with JSON that is already text, such as a charge. */
export function sendJson(ctx: Context, json: string): void {
  ctx.type = 'json'
  ctx.body = json
}
