import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context, Middleware } from 'koa'
import type { Reader, Readers } from '../readers.ts'
import { isShared } from '../shared-body.ts'
import { readerOf } from './authenticate.ts'

/** What is given to a connection in one go; a client has the bound of `connections.ts` to read so much. */
const CHUNK_BYTES = 64 * 1024

/** Answers up to this fit into what the operating system buffers for any connection. */
const SMALL_BYTES = 16 * 1024

/** The longest body there is. As much of one that was refused unread may still come; more is not waited for. */
const MAX_UNREAD_BODY_BYTES = 96 * 1024

/**
 * Writes the response no faster than its client reads it, and counts the bytes that are not sent yet.
 *
 * Node accepts a response of any size in one call, and holds what the client does not read while the connection lasts.
 */
export function writeAnswer(readers: Readers): Middleware {
  return async (ctx, next) => {
    await next()
    if (ctx.respond === false) return
    // Closing with bytes unread can cost the end of a long answer, so not for what asked for one.
    if (ctx.status >= 400 && isUnreadBodyLong(ctx.req)) ctx.set('Connection', 'close')
    const bytes = bytesOf(ctx)
    if (bytes === null || bytes.length <= SMALL_BYTES) return
    ctx.respond = false
    const { res } = ctx
    const reader = isShared(bytes) ? UNCOUNTED : readers.open(readerOf(ctx), () => res.destroy())
    // The client might be gone already, and `close` would not fire again.
    await writeInChunks(res, bytes, reader).finally(reader.close)
  }
}

/** A shared body is in memory anyway. */
const UNCOUNTED: Reader = { hold: () => undefined, close: () => undefined }

/** Answers the body as bytes, which the context has from then on; `null` if there is none to be sent. */
function bytesOf(ctx: Context): Buffer | null {
  const { body } = ctx
  if (body === null || body === undefined || ctx.method === 'HEAD') return null
  if (Buffer.isBuffer(body)) return body
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  // The type stays what it was set to with the body that this one stands for.
  ctx.body = bytes
  return bytes
}

/** Resolves when everything is sent, or the client is gone. */
async function writeInChunks(res: ServerResponse, bytes: Buffer, reader: Reader): Promise<void> {
  for (let at = 0; at < bytes.length && !res.destroyed; at += CHUNK_BYTES) {
    reader.hold(bytes.length - at)
    if (!res.write(bytes.subarray(at, at + CHUNK_BYTES))) await untilReady(res)
  }
  res.end()
}

/** Resolves when everything written so far is sent, or the client is gone. */
async function untilReady(res: ServerResponse): Promise<void> {
  if (res.destroyed) return
  await new Promise<void>((resolve) => {
    const proceed = (): void => {
      res.off('drain', proceed).off('close', proceed)
      resolve()
    }
    res.on('drain', proceed).on('close', proceed)
  })
}

function isUnreadBodyLong({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return (
    headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > MAX_UNREAD_BODY_BYTES
  )
}
