import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Context } from 'koa'
import { chooseEncoding } from './choose-encoding.ts'

/** A body that is the same for every client, plain and compressed. */
export type SharedBody = {
  readonly identity: Buffer
  readonly gzip: Buffer
  readonly br: Buffer
  readonly etag: string
}

const shared = new WeakSet<Buffer>()

/** The highest quality at which compressing all shared bodies takes no longer than the rest of the startup. */
const BROTLI_QUALITY = 9

/** Creates a shared body. Compresses it once, because a request of 22 bytes would otherwise cost several ms of CPU. */
export function createSharedBody(text: string): SharedBody {
  const identity = Buffer.from(text)
  const gzip = gzipSync(identity, { level: 9 })
  const br = brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
  shared.add(identity).add(gzip).add(br)
  // A weak tag, because all encodings share it.
  const etag = `W/"${createHash('sha256').update(identity).digest('base64url')}"`
  return { identity, gzip, br, etag }
}

/** Responds with a shared body, or with 304 if the client already has it. The caller sets the type. */
export function sendShared(ctx: Context, body: SharedBody): void {
  ctx.etag = body.etag
  const encoding = chooseEncoding(ctx)
  ctx.status = 200
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding)
  ctx.body = body[encoding]
}

/** Checks whether a buffer is a shared body, which costs no memory per request. */
export function isShared(bytes: Buffer): boolean {
  return shared.has(bytes)
}
