import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { AppError } from '../../shared/domain/errors.ts'
import { type JsonDocument, parseJson } from '../parse-json.ts'

/** Of a request that carries no more than a name, an address or a filter. */
const MAX_BODY_BYTES = 64 * 1024

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i

/**
 * Reads the request's body as one JSON text; of one that says it is too large, or turns out to be, nothing more.
 *
 * @throws {AppError} `unsupported_media_type`, `payload_too_large`, `validation_error`
 */
export async function readJsonBody(ctx: Context, maxBytes = MAX_BODY_BYTES): Promise<JsonDocument> {
  const { req } = ctx
  if (!hasBody(req))
    throw new AppError('validation_error', 'the request has no body; a JSON object must be there')
  requireType(ctx, JSON_TYPE)
  return parseJson(await readText(ctx, maxBytes))
}

/**
 * Reads the request's body as the fields of an HTML form, each once; of one that is too large nothing more.
 *
 * @throws {AppError} `unsupported_media_type`, `payload_too_large`, `validation_error`
 */
export async function readFormBody(ctx: Context, maxBytes = MAX_BODY_BYTES): Promise<URLSearchParams> {
  if (!hasBody(ctx.req)) return new URLSearchParams()
  requireType(ctx, FORM_TYPE)
  return new URLSearchParams(await readText(ctx, maxBytes))
}

/** What a form without files is sent as. */
export const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i

async function readText(ctx: Context, maxBytes: number): Promise<string> {
  if (Number(ctx.get('content-length')) > maxBytes) throw refuseSize(ctx, maxBytes)
  const bytes = await readBytes(ctx, maxBytes)
  if (!isUtf8(bytes)) throw new AppError('validation_error', 'the body is not UTF-8')
  return bytes.toString('utf8')
}

/** Tells whether the request says that a body follows. See RFC 9112 section 6.3. */
export function hasBody(req: IncomingMessage): boolean {
  const length = req.headers['content-length']
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

function requireType(ctx: Context, wanted: RegExp): void {
  const type = ctx.get('content-type')
  if (!wanted.test(type)) {
    throw new AppError(
      'unsupported_media_type',
      `the body is ${type === '' ? 'of no type' : type.slice(0, 100)}; it must be ${wanted === FORM_TYPE ? 'application/x-www-form-urlencoded' : 'application/json in UTF-8'}`,
    )
  }
  const encoding = ctx.get('content-encoding')
  if (encoding !== '' && encoding !== 'identity') {
    throw new AppError(
      'unsupported_media_type',
      `the body is encoded as ${encoding.slice(0, 100)}; it must be plain`,
    )
  }
}

/** Listens instead of iterating: an async iterator costs several times as much for a small body. */
function readBytes(ctx: Context, maxBytes: number): Promise<Buffer> {
  const { req } = ctx
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const take = (chunk: Buffer): void => {
      length += chunk.length
      if (length <= maxBytes) return void chunks.push(chunk)
      // What comes until the answer is out is read and dropped: a client whose bytes pile up would miss the answer.
      req.off('data', take).resume()
      chunks.length = 0
      reject(refuseSize(ctx, maxBytes))
    }
    req.on('data', take)
    req.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    req.once('error', () =>
      reject(new AppError('validation_error', 'the body ended before its announced length')),
    )
  })
}

function refuseSize(ctx: Context, maxBytes: number): AppError {
  // The rest of the body is not worth reading, so the connection cannot serve another request.
  ctx.set('Connection', 'close')
  return new AppError('payload_too_large', `the body is above the maximum of ${maxBytes} bytes`)
}
