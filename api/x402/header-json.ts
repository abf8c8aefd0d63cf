import { isUtf8 } from 'node:buffer'
import { AppError } from '../../shared/domain/errors.ts'
import { type JsonDocument, parseJson } from '../parse-json.ts'

/** Of a header: what a contract's signature of two kilobytes needs, and half of what Node takes of all headers. */
const MAX_BYTES = 8 * 1024

/** Writes a value as x402 puts it into a header: base64 of its JSON in UTF-8. */
export function writeHeaderJson(value: object): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64')
}

/**
 * Reads what stands in a header of x402: base64 with its padding and nothing beside it, of one strict JSON text.
 *
 * @throws {AppError} `validation_error`, naming the header
 */
export function readHeaderJson(name: string, text: string): JsonDocument {
  if (text.length > MAX_BYTES)
    throw refuse(name, `has ${text.length} characters; at most ${MAX_BYTES} are allowed`)
  const bytes = Buffer.from(text, 'base64')
  // Node leaves out what is no base64, so that many texts would say the same.
  if (text === '' || bytes.toString('base64') !== text) throw refuse(name, 'is not base64')
  if (!isUtf8(bytes)) throw refuse(name, 'is not base64 of UTF-8')
  try {
    return parseJson(bytes.toString('utf8'))
  } catch (error) {
    if (error instanceof AppError) throw refuse(name, `holds what is no JSON that is read: ${error.message}`)
    throw error
  }
}

function refuse(name: string, reason: string): AppError {
  return new AppError('validation_error', `${name} ${reason}`, { param: name })
}
