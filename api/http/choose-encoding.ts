import type { Context } from 'koa'

/** Returns the first of brotli, gzip and `identity` that the client accepts, regardless of the client's preference. */
export function chooseEncoding(ctx: Context): 'br' | 'gzip' | 'identity' {
  ctx.vary('Accept-Encoding')
  return (
    (['br', 'gzip'] as const).find((encoding) => ctx.acceptsEncodings(encoding) === encoding) ?? 'identity'
  )
}
