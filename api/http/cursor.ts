import { createHmac, timingSafeEqual } from 'node:crypto'
import { createFieldError } from './field-error.ts'

/** Position of the last entry of a page: the timestamp by which the list is ordered, and the id that breaks ties. */
export type Position = { readonly atMicros: number; readonly id: string }

/** Scope of a cursor. A cursor is rejected for another list, tenant or filter. */
export type CursorScope = {
  /** The first secret signs; a signature by any of them is accepted. */
  readonly secrets: readonly string[]
  readonly list: string
  readonly filter: readonly unknown[]
}

/** Version of the cursor format. Must change with the format, so that old cursors are rejected instead of misread. */
const VERSION = 1

/** Length of a cursor's authenticator. 96 bits cannot be guessed, and keep a cursor below 100 characters. */
const MAC_BYTES = 12

/** Encodes a position as opaque text, which `decodeCursor` accepts only for the same scope. */
export function encodeCursor(scope: CursorScope, position: Position): string {
  const body = Buffer.from(`${VERSION}.${position.atMicros}.${position.id}`)
  return Buffer.concat([createMac(scope, scope.secrets[0] ?? '', body), body]).toString('base64url')
}

/**
 * Decodes a cursor that this service created for the same scope.
 *
 * @throws {AppError} `validation_error`, param `cursor`, for any other text
 */
export function decodeCursor(scope: CursorScope, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url')
  const body = bytes.subarray(MAC_BYTES)
  const mac = bytes.subarray(0, MAC_BYTES)
  // Decoding base64url skips invalid characters, so compare with the encoded bytes.
  const isWhole = mac.length === MAC_BYTES && bytes.toString('base64url') === cursor
  const isOurs =
    isWhole && scope.secrets.some((secret) => timingSafeEqual(mac, createMac(scope, secret, body)))
  const [, version, atMicros, id] = /^(\d+)\.(\d+)\.(.+)$/.exec(isOurs ? body.toString() : '') ?? []
  if (Number(version) !== VERSION || id === undefined)
    throw createFieldError('cursor', 'was not created by this list for this key and these filters')
  return { atMicros: Number(atMicros), id }
}

function createMac({ list, filter }: CursorScope, secret: string, body: Buffer): Buffer {
  const mac = createHmac('sha256', secret)
  return mac
    .update(JSON.stringify([list, filter]))
    .update(body)
    .digest()
    .subarray(0, MAC_BYTES)
}
