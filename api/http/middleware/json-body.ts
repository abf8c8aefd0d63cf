import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { AppError } from '../../../shared/domain/errors.ts'
import { type JsonDocument, parseJson } from '../parse-json.ts'

/** Default maximum size: enough for names, addresses and filters. */
const MAX_BODY_BYTES = 64 * 1024

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i

/**
 * Reads the request's body as one JSON text. Throws as soon as the body is known to be too large.
 *
 * @throws {AppError} `unsupported_media_type`, `payload_too_large`, `validation_error`
 */
export async function readJsonBody(ctx: Context, maxBytes = MAX_BODY_BYTES): Promise<JsonDocument> {
  const { req } = ctx
  if (!hasBody(req)) throw new AppError('validation_error', 'the request body is missing; send a JSON object')
  requireType(ctx, JSON_TYPE)
  return parseJson(await readText(ctx, maxBytes))
}

/**
 * Reads the request's body as the fields of an HTML form. Throws as soon as the body is known to be too large.
 *
 * @throws {AppError} `unsupported_media_type`, `payload_too_large`, `validation_error`
 */
export async function readFormBody(ctx: Context, maxBytes = MAX_BODY_BYTES): Promise<URLSearchParams> {
  if (!hasBody(ctx.req)) return new URLSearchParams()
  requireType(ctx, FORM_TYPE)
  return new URLSearchParams(await readText(ctx, maxBytes))
}

/** Content type of a form without files. */
export const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i

async function readText(ctx: Context, maxBytes: number): Promise<string> {
  if (Number(ctx.get('content-length')) > maxBytes) throw createSizeError(ctx, maxBytes)
  const bytes = await readBytes(ctx, maxBytes)
  if (!isUtf8(bytes)) throw new AppError('validation_error', 'the body is not UTF-8')
  return bytes.toString('utf8')
}

/** Returns whether the request announces a body. See RFC 9112 section 6.3. */
export function hasBody(req: IncomingMessage): boolean {
  const length = req.headers['content-length']
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

function requireType(ctx: Context, required: RegExp): void {
  const type = ctx.get('content-type')
  if (!required.test(type)) {
    throw new AppError(
      'unsupported_media_type',
      `the body's Content-Type is ${type === '' ? 'missing' : type.slice(0, 100)}; it must be ${required === FORM_TYPE ? 'application/x-www-form-urlencoded' : 'application/json in UTF-8'}`,
    )
  }
  const encoding = ctx.get('content-encoding')
  if (encoding !== '' && encoding !== 'identity') {
    throw new AppError(
      'unsupported_media_type',
      `the body is encoded as ${encoding.slice(0, 100)}; send it without encoding`,
    )
  }
}

/** Uses events, because an async iterator costs several times as much for a small body. */
function readBytes(ctx: Context, maxBytes: number): Promise<Buffer> {
  const { req } = ctx
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      if (length <= maxBytes) return void chunks.push(chunk)
      // Read and drop bytes until the response is sent. A client that is blocked on sending would not receive it.
      req.off('data', onData).resume()
      chunks.length = 0
      reject(createSizeError(ctx, maxBytes))
    }
    req.on('data', onData)
    req.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    req.once('error', () =>
      reject(new AppError('validation_error', 'the body ended before its announced length')),
    )
  })
}

function createSizeError(ctx: Context, maxBytes: number): AppError {
  // The body might not be read to its end, so the connection cannot serve another request.
  ctx.set('Connection', 'close')
  return new AppError('payload_too_large', `the body exceeds the maximum of ${maxBytes} bytes`)
}
