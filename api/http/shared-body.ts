import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Context } from 'koa'

/** A body that is the same for every client, held in memory once, plain and compressed. */
export type SharedBody = { readonly plain: Buffer; readonly compressed: Buffer; readonly etag: string }

const shared = new WeakSet<Buffer>()

/**
 * Creates a shared body. Compresses it once: per request, 22 bytes from a client would cost some milliseconds of CPU.
 */
export function createSharedBody(text: string): SharedBody {
  const plain = Buffer.from(text)
  const compressed = gzipSync(plain, { level: 9 })
  shared.add(plain).add(compressed)
  // A weak tag, because both forms share it.
  return { plain, compressed, etag: `W/"${createHash('sha256').update(plain).digest('base64url')}"` }
}

/** Responds with a shared body, or with 304 if the client already has it. The caller sets the type. */
export function sendShared(ctx: Context, { plain, compressed, etag }: SharedBody): void {
  ctx.etag = etag
  ctx.vary('Accept-Encoding')
  ctx.status = 200
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  const isCompressed = ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
  if (isCompressed) ctx.set('Content-Encoding', 'gzip')
  ctx.body = isCompressed ? compressed : plain
}

/** Checks whether a buffer is a shared body, which costs no memory per request. */
export function isShared(bytes: Buffer): boolean {
  return shared.has(bytes)
}
