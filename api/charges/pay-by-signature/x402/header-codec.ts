import { isUtf8 } from 'node:buffer'
import { AppError } from '../../../../shared/domain/errors.ts'
import { createFieldError } from '../../../http/field-error.ts'
import { type JsonDocument, parseJson } from '../../../http/parse-json.ts'

/** Maximum length of a header. A contract's signature of 2 KB fits. Node allows 16 KiB for all headers together. */
const MAX_BYTES = 8 * 1024

/** Encodes a value for an x402 header: base64 of its JSON in UTF-8. */
export function encodeHeaderJson(value: object): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64')
}

/**
 * Decodes an x402 header: canonical base64 with padding, of one JSON text in UTF-8.
 *
 * @throws {AppError} `validation_error`, naming the header
 */
export function decodeHeaderJson(name: string, text: string): JsonDocument {
  if (text.length > MAX_BYTES)
    throw createFieldError(name, `has ${text.length} characters; at most ${MAX_BYTES} are allowed`)
  const bytes = Buffer.from(text, 'base64')
  // Node skips invalid characters, so many texts would decode to the same bytes.
  if (text === '' || bytes.toString('base64') !== text) throw createFieldError(name, 'is not base64')
  if (!isUtf8(bytes)) throw createFieldError(name, 'is not base64 of UTF-8')
  try {
    return parseJson(bytes.toString('utf8'))
  } catch (error) {
    if (error instanceof AppError) throw createFieldError(name, `is not valid JSON: ${error.message}`)
    throw error
  }
}
