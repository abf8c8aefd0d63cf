import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { ENVIRONMENTS, NETWORKS, TOKENS } from '../shared/domain/networks.ts'

/*
 * The values that several resources share. Bounds are the specification's, "Limits".
 */

/** One of a list of words, as a JSON Schema `enum`. */
export function oneOf<const Word extends string>(words: readonly Word[]) {
  return Type.Unsafe<Word>({ type: 'string', enum: [...words] })
}

/** An object without other fields than these. */
export function strictObject<Properties extends Record<string, TSchema>>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false })
}

/** A value, or null. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Unsafe<Static<Schema> | null>({ anyOf: [schema, { type: 'null' }] })
}

export const NetworkName = oneOf(NETWORKS)

export const TokenName = oneOf(TOKENS)

export const EnvironmentName = oneOf(ENVIRONMENTS)

/** ISO 8601, UTC, with milliseconds, as every answer writes it. */
export const Timestamp = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' })

/** An address as its network writes it: 0x with a checksum, or TRON's T form. */
export const PresentedAddress = Type.String({ pattern: '^(0x[0-9a-fA-F]{40}|T[1-9A-HJ-NP-Za-km-z]{33})$' })

export const AcceptedPayment = strictObject({ token: TokenName, network: NetworkName })

/** What every list takes. */
export const Paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
}

/** The page size where none is named. */
export const DEFAULT_LIMIT = 20

/** One page of a list. */
export function pageOf<Item extends TSchema>(item: Item) {
  return strictObject({
    data: Type.Array(item),
    nextCursor: nullable(Type.String()),
    hasMore: Type.Boolean(),
  })
}

/** The Error shape. */
export const ErrorAnswer = strictObject({
  error: strictObject({
    code: Type.String({ pattern: '^[a-z][a-z0-9_]*$' }),
    message: Type.String({ minLength: 1 }),
    param: Type.Optional(Type.String({ minLength: 1 })),
  }),
})
