import type { Context } from 'koa'

/**
 * Chooses the content encoding of a response: the best one that the client accepts, regardless of the order in which it
 * lists them.
 */
export function chooseEncoding(ctx: Context): 'br' | 'gzip' | 'identity' {
  ctx.vary('Accept-Encoding')
  return (
    (['br', 'gzip'] as const).find((encoding) => ctx.acceptsEncodings(encoding) === encoding) ?? 'identity'
  )
}
