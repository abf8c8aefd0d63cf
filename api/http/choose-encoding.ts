import type { Context } from 'koa'

/**
 * Chooses the content encoding of a response: the best encoding that the client accepts, regardless of the order of the
 * client's list.
 */
export function chooseEncoding(ctx: Context): 'br' | 'gzip' | 'identity' {
  ctx.vary('Accept-Encoding')
  return (
    (['br', 'gzip'] as const).find((encoding) => ctx.acceptsEncodings(encoding) === encoding) ?? 'identity'
  )
}
