import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context, Middleware } from 'koa'
import type { Reader, ResponseBuffers } from '../response-buffers.ts'
import { isShared } from '../shared-body.ts'
import { untilReady } from '../until-ready.ts'
import { getReaderHolder } from './authenticate.ts'

/** Bytes per write to a connection. The timeout in `limit-connections.ts` applies to each chunk. */
const CHUNK_BYTES = 64 * 1024

/** Responses up to this size fit into the operating system's send buffer of a connection. */
const SMALL_BYTES = 16 * 1024

/** Maximum body size of any route. After an error, a connection with a longer unread body is closed. */
const MAX_UNREAD_BODY_BYTES = 96 * 1024

/**
 * Writes the response no faster than its client reads it, and counts the bytes that are not sent yet.
 *
 * Node would accept a response of any size in one call, and keep unread bytes in memory while the connection lasts.
 */
export function writeResponse(readers: ResponseBuffers): Middleware {
  return async (ctx, next) => {
    await next()
    if (ctx.respond === false) return
    // Closing while the request is unread can truncate a long response, so close only after an error, which is short.
    if (ctx.status >= 400 && isUnreadBodyLong(ctx.req)) ctx.set('Connection', 'close')
    const bytes = encodeBody(ctx)
    if (bytes === null || bytes.length <= SMALL_BYTES) return
    ctx.respond = false
    const { res } = ctx
    const reader = isShared(bytes) ? UNCOUNTED : readers.open(getReaderHolder(ctx), () => res.destroy())
    // Not on `close`, which does not fire again if the client has already disconnected.
    await writeInChunks(res, bytes, reader).finally(reader.close)
  }
}

/** Reader of a shared body. It is not counted, because shared bodies are in memory anyway. */
const UNCOUNTED: Reader = { hold: () => undefined, close: () => undefined }

/** Replaces the response's body by its bytes and returns them; `null` without a body. */
function encodeBody(ctx: Context): Buffer | null {
  const { body } = ctx
  if (body === null || body === undefined || ctx.method === 'HEAD') return null
  if (Buffer.isBuffer(body)) return body
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  // The content type of the original body stays.
  ctx.body = bytes
  return bytes
}

async function writeInChunks(res: ServerResponse, bytes: Buffer, reader: Reader): Promise<void> {
  for (let at = 0; at < bytes.length && !res.destroyed; at += CHUNK_BYTES) {
    reader.hold(bytes.length - at)
    if (!res.write(bytes.subarray(at, at + CHUNK_BYTES))) await untilReady(res)
  }
  res.end()
}

function isUnreadBodyLong({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return (
    headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > MAX_UNREAD_BODY_BYTES
  )
}
