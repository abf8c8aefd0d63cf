import { createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '../shared/domain/errors.ts'

/** Where a page ended: the moment its list is ordered by, and what breaks ties. */
export type Position = { readonly atMicros: number; readonly id: string }

/** What a cursor belongs to: the same list, tenant and filter, or it is refused. */
export type CursorScope = {
  /** The first signs; what any of them signed is taken. */
  readonly secrets: readonly string[]
  readonly list: string
  readonly filter: readonly unknown[]
}

/** Changes with what a cursor contains, so that old ones are refused and not misread. */
const VERSION = 1

/** 96 bits: nobody guesses one, and a cursor stays below 100 characters. */
const MAC_BYTES = 12

/** Writes a position as opaque text that `decodeCursor` accepts for the same scope only. */
export function encodeCursor(scope: CursorScope, position: Position): string {
  const body = Buffer.from(`${VERSION}.${position.atMicros}.${position.id}`)
  return Buffer.concat([macOf(scope, scope.secrets[0] ?? '', body), body]).toString('base64url')
}

/**
 * Reads a cursor that this service gave out for the same scope.
 *
 * @throws {AppError} `validation_error`, param `cursor`, for any other text
 */
export function decodeCursor(scope: CursorScope, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url')
  const body = bytes.subarray(MAC_BYTES)
  const mac = bytes.subarray(0, MAC_BYTES)
  // Reading base64url passes over what is none.
  const isWhole = mac.length === MAC_BYTES && bytes.toString('base64url') === cursor
  const isOurs = isWhole && scope.secrets.some((secret) => timingSafeEqual(mac, macOf(scope, secret, body)))
  const [, version, atMicros, id] = /^(\d+)\.(\d+)\.(.+)$/.exec(isOurs ? body.toString() : '') ?? []
  if (Number(version) !== VERSION || id === undefined) throw refuse()
  return { atMicros: Number(atMicros), id }
}

function macOf({ list, filter }: CursorScope, secret: string, body: Buffer): Buffer {
  const mac = createHmac('sha256', secret)
  return mac
    .update(JSON.stringify([list, filter]))
    .update(body)
    .digest()
    .subarray(0, MAC_BYTES)
}

function refuse(): AppError {
  return new AppError(
    'validation_error',
    'cursor is not one that this list gave out for this key and these filters',
    { param: 'cursor' },
  )
}
