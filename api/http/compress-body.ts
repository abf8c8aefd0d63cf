import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context } from 'koa'
import { chooseEncoding } from './choose-encoding.ts'

/** Minimum size of a body that is compressed. Smaller bodies fit in one packet. */
const MIN_BYTES = 1024

/** The quality at which brotli takes about as long as gzip. */
const BROTLI_QUALITY = 4

const toBrotli = promisify(brotliCompress)
const toGzip = promisify<string, Buffer>(gzip)

/**
 * Compresses the body of a response if the client accepts it and the body is large enough.
 *
 * The compressed length reveals whether a text that an attacker has chosen also occurs elsewhere in the body (BREACH).
 * So use this function only if every caller of the route already knows the secrets in its response.
 */
export async function compressBody(ctx: Context): Promise<void> {
  const { body } = ctx
  if (body === null || body === undefined || Buffer.isBuffer(body)) return
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const encoding = chooseEncoding(ctx)
  if (encoding === 'identity' || Buffer.byteLength(text) < MIN_BYTES) return
  ctx.body = await compress(text, encoding)
  ctx.set('Content-Encoding', encoding)
}

function compress(text: string, encoding: 'br' | 'gzip'): Promise<Buffer> {
  if (encoding === 'gzip') return toGzip(text)
  return toBrotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
}
