import { type ObjectOptions, type SchemaOptions, type Static, type TSchema, Type } from '@sinclair/typebox'
import { ADDRESS_FAMILIES } from '../shared/domain/address.ts'
import { ERROR_CODES } from '../shared/domain/errors.ts'
import { FAMILIES } from '../shared/domain/families/families.ts'
import { ENVIRONMENTS, NETWORKS, TOKENS } from '../shared/domain/networks.ts'

/*
 * The values that several resources share. Bounds are the specification's, "Limits".
 *
 * A schema with a `title` becomes a component of that name in the API document (api/openapi); `description` and
 * `examples` are for its readers alone.
 */

/** One of a list of words, as a JSON Schema `enum`. */
export function oneOf<const Word extends string>(words: readonly Word[], options: SchemaOptions = {}) {
  return Type.Unsafe<Word>({ ...options, type: 'string', enum: [...words] })
}

/** An object without other fields than these. */
export function strictObject<Properties extends Record<string, TSchema>>(
  properties: Properties,
  options: ObjectOptions = {},
) {
  return Type.Object(properties, { ...options, additionalProperties: false })
}

/** A value, or null. */
export function nullable<Schema extends TSchema>(schema: Schema, options: SchemaOptions = {}) {
  return Type.Unsafe<Static<Schema> | null>({ ...options, anyOf: [schema, { type: 'null' }] })
}

export const NetworkName = oneOf(NETWORKS, {
  title: 'Network',
  description: 'A chain that payments come on.',
})

export const TokenName = oneOf(TOKENS, { title: 'Token', description: 'A stablecoin.' })

export const EnvironmentName = oneOf(ENVIRONMENTS, {
  title: 'Environment',
  description: 'Chosen by the API key alone: `svc_live_…` or `svc_test_…`.',
})

/** ISO 8601, UTC, with milliseconds, as every answer writes it. */
export const Timestamp = Type.String({
  title: 'Timestamp',
  description: 'ISO 8601 in UTC, with milliseconds.',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
  examples: ['2026-11-21T12:00:00.000Z'],
})

/** A decimal without exponent, sign or trailing zeros. */
export const ExactAmount = Type.String({
  title: 'ExactAmount',
  description: 'A decimal without exponent, sign or trailing zeros; the one to calculate with.',
  pattern: '^(0|[1-9]\\d*)(\\.\\d*[1-9])?$',
  examples: ['10.5'],
})

/** An EVM address as requests may have to write it: one spelling each, so that texts can be compared. */
export const LOWERCASE_ADDRESS = '^0x[0-9a-f]{40}$'

/** An address as its network writes it: 0x with a checksum, or TRON's T form. */
export const PresentedAddress = Type.String({
  title: 'Address',
  description: "As its network writes it: 0x with a checksum, or TRON's T form.",
  examples: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  pattern: `^(${ADDRESS_FAMILIES.map((family) => FAMILIES[family].addressPattern).join('|')})$`,
})

export const AcceptedPayment = strictObject(
  { token: TokenName, network: NetworkName },
  { title: 'AcceptedPayment', description: 'A token on a network: what can be paid with.' },
)

/** What every list takes. */
export const Paging = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 20,
      description: 'How many entries a page has at most.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: '`nextCursor` of the page before; opaque.' }),
  ),
}

/** The page size where none is named. */
export const DEFAULT_LIMIT = 20

/** One page of a list; its component is named after that of its items. */
export function pageOf<Item extends TSchema>(item: Item) {
  return strictObject(
    {
      data: Type.Array(item),
      nextCursor: nullable(Type.String(), {
        description: 'Goes into `cursor` for the next page; null on the last.',
      }),
      hasMore: Type.Boolean(),
    },
    item.title === undefined ? {} : { title: `${item.title}Page` },
  )
}

const ErrorCodeName = oneOf(ERROR_CODES, {
  title: 'ErrorCode',
  description: 'Stable, for programs; new ones may be added.',
})

/** The Error shape. */
export const ErrorAnswer = strictObject(
  {
    error: strictObject({
      code: ErrorCodeName,
      message: Type.String({ minLength: 1, description: 'For developers; may change.' }),
      param: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'The field concerned, such as `acceptedPayments[1].token`.',
        }),
      ),
    }),
  },
  { title: 'Error', description: 'What every answer but a success says.' },
)
