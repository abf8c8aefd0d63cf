import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { getReaderHolder } from '../http/middleware/authenticate.ts'
import type { ResponseBuffers } from '../http/response-buffers.ts'
import { untilReady } from '../http/until-ready.ts'

/** A part of the body, and the number of entries in it. */
export type ExportPage = { readonly text: string; readonly entries: number }

/** The body of an export, written only as fast as its client reads. */
export type ExportResponse = {
  /** Writes a page. Resolves when the client can receive more, or the connection is closed. */
  readonly write: (page: ExportPage) => Promise<void>
  readonly isOpen: () => boolean
  /** Ends the body, and sends the trailers: the number of entries and the digest of the body. */
  readonly end: () => void
}

/**
 * Starts the response of an export. `readers` counts the unread bytes of the response. The connection is closed after
 * `maxDurationMs`, or earlier if the client stops reading (`api/http/limit-connections.ts`).
 *
 * @see RFC 9530 for the form of the digest
 */
export function openExportResponse(
  ctx: Context,
  { readers, maxDurationMs }: { readonly readers: ResponseBuffers; readonly maxDurationMs: number },
  head: { readonly contentType: string; readonly fileName: string; readonly recordedUntil: Date },
): ExportResponse {
  const { res } = ctx
  ctx.respond = false
  res.writeHead(200, {
    'Content-Type': head.contentType,
    'Content-Disposition': `attachment; filename="${head.fileName}"`,
    'Cache-Control': 'no-store',
    'Accounting-Format': '1',
    'Accounting-Recorded-Until': head.recordedUntil.toISOString(),
    Trailer: 'Accounting-Entries, Repr-Digest',
    'X-Accel-Buffering': 'no',
  })
  const close = (): void => void res.destroy()
  const reader = readers.open(getReaderHolder(ctx), close)
  const timer = setTimeout(close, maxDurationMs).unref()
  res.once('close', () => {
    reader.close()
    clearTimeout(timer)
  })
  const hash = createHash('sha256')
  let count = 0
  return {
    isOpen: () => !res.destroyed && ctx.method !== 'HEAD',
    write: async ({ text, entries }) => {
      if (res.destroyed || text === '') return
      count += entries
      const bytes = Buffer.from(text)
      hash.update(bytes)
      const isReady = res.write(bytes)
      reader.hold(res.writableLength)
      if (!isReady) await untilReady(res)
      if (!res.destroyed) reader.hold(res.writableLength)
    },
    end: () => {
      if (res.destroyed) return
      res.addTrailers({
        'Accounting-Entries': String(count),
        'Repr-Digest': `sha-256=:${hash.digest('base64')}:`,
      })
      res.end()
    },
  }
}
