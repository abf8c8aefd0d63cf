import {
  type ObjectOptions,
  type SchemaOptions,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from '@sinclair/typebox'
import { CHAIN_FAMILY_NAMES } from '../../shared/domain/address.ts'
import { CHAIN_FAMILIES } from '../../shared/domain/chain-families/chain-families.ts'
import { ERROR_CODES } from '../../shared/domain/errors.ts'
import { ENVIRONMENTS, NETWORKS, TOKENS } from '../../shared/domain/networks.ts'

/*
 * Schemas that several resources share. Their limits are in the specification, "Limits".
 *
 * A schema with a `title` becomes a component of that name in the API document (api/docs/openapi). `description` and
 * `examples` are used only there.
 */

/** Creates the schema of a value that is one of these words, as a JSON Schema `enum`. */
export function stringEnum<const Word extends string>(words: readonly Word[], options: SchemaOptions = {}) {
  return Type.Unsafe<Word>({ ...options, type: 'string', enum: [...words] })
}

/** Creates the schema of an object that allows no other fields. */
export function strictObject<Properties extends Record<string, TSchema>>(
  properties: Properties,
  options: ObjectOptions = {},
) {
  return Type.Object(properties, { ...options, additionalProperties: false })
}

const EXTENDED = Symbol('extended schema')

/**
 * Creates the schema of an object that adds fields to another schema. The API document describes only the added fields,
 * and refers to the other schema (`allOf`).
 */
export function extendObject<Base extends TProperties, Own extends TProperties>(
  base: TObject<Base>,
  properties: Own,
  options: ObjectOptions,
) {
  const schema = strictObject({ ...base.properties, ...properties }, options)
  return Object.assign(schema, { [EXTENDED]: base })
}

/** Returns the base of a schema from `extendObject`, otherwise null. */
export function getExtendedSchema(schema: { readonly [EXTENDED]?: TObject }): TObject | null {
  return schema[EXTENDED] ?? null
}

const DESCRIBED = Symbol('described schema')

/**
 * Returns a schema with another description. The API document adds the description to a reference to the schema's
 * component.
 */
export function describe<Schema extends TSchema>(schema: Schema, description: string): Schema {
  return { ...schema, description, [DESCRIBED]: { schema, description } }
}

type Described = { readonly schema: TSchema; readonly description: string }

/** Returns the arguments of `describe` for a schema from it, otherwise null. */
export function getDescribedSchema(schema: { readonly [DESCRIBED]?: Described }): Described | null {
  return schema[DESCRIBED] ?? null
}

/** Creates the schema of a value that can be null. */
export function nullable<Schema extends TSchema>(schema: Schema, options: SchemaOptions = {}) {
  return Type.Unsafe<Static<Schema> | null>({ ...options, anyOf: [schema, { type: 'null' }] })
}

export const NetworkName = stringEnum(NETWORKS, {
  title: 'Network',
  description: 'A blockchain on which payments are received.',
})

export const TokenName = stringEnum(TOKENS, { title: 'Token', description: 'A stablecoin.' })

export const EnvironmentName = stringEnum(ENVIRONMENTS, {
  title: 'Environment',
  description: 'Determined by the API key: `svc_live_…` or `svc_test_…`.',
})

/** ISO 8601, UTC, with milliseconds, as in every response. */
export const Timestamp = Type.String({
  title: 'Timestamp',
  description: 'ISO 8601 in UTC, with milliseconds.',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
  examples: ['2026-11-21T12:00:00.000Z'],
})

export const ExactAmount = Type.String({
  title: 'ExactAmount',
  description: 'A decimal without exponent, sign or trailing zeros. Use it for calculations.',
  pattern: '^(0|[1-9]\\d*)(\\.\\d*[1-9])?$',
  examples: ['10.5'],
})

/** A nonnegative integer, possibly too large for an exact JSON number. */
export const IntegerText = Type.String({
  title: 'IntegerText',
  description: 'An integer, as text.',
  pattern: '^(0|[1-9]\\d*)$',
})

export const Bytes32 = Type.String({ title: 'Bytes32', pattern: '^0x[0-9a-f]{64}$' })

export const HexData = Type.String({ title: 'HexData', pattern: '^0x([0-9a-f]{2})*$' })

/** The fields of one type in EIP-712 typed data. */
export const Eip712Fields = Type.Array(
  strictObject({ name: Type.String(), type: Type.String() }, { title: 'Eip712Field' }),
)

/** An EVM address in lowercase. Requests must use this one spelling where addresses are compared as text. */
export const LOWERCASE_ADDRESS = '^0x[0-9a-f]{40}$'

export const PresentedAddress = Type.String({
  title: 'Address',
  description: "An address in its network's format: 0x with a checksum, or TRON's T form.",
  examples: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  pattern: `^(${CHAIN_FAMILY_NAMES.map((family) => CHAIN_FAMILIES[family].addressPattern).join('|')})$`,
})

export const AcceptedPayment = strictObject(
  { token: TokenName, network: NetworkName },
  { title: 'AcceptedPayment', description: 'A token on a network, in which a charge can be paid.' },
)

/** Query parameters that name a pair. */
export const PairQuery = { token: Type.Optional(TokenName), network: Type.Optional(NetworkName) }

/** Query parameters of every list. */
export const Paging = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 20,
      description: 'Maximum entries per page.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'Opaque `nextCursor` of the previous page.' }),
  ),
}

/** Page size if `limit` is absent. */
export const DEFAULT_LIMIT = 20

const Page = strictObject(
  {
    nextCursor: nullable(Type.String(), {
      description: 'Pass it as `cursor` to get the next page; null on the last page.',
    }),
    hasMore: Type.Boolean(),
  },
  { title: 'Page' },
)

/** Creates the schema of one page of a list. The component of the page is named after the component of the items. */
export function buildPageSchema<Item extends TSchema>(item: Item) {
  return extendObject(
    Page,
    { data: Type.Array(item) },
    item.title === undefined ? {} : { title: `${item.title}Page` },
  )
}

const ErrorCodeName = stringEnum(ERROR_CODES, {
  title: 'ErrorCode',
  description: 'Stable, for use by programs. New codes may be added.',
})

/** The Error shape. */
export const ErrorResponse = strictObject(
  {
    error: strictObject({
      code: ErrorCodeName,
      message: Type.String({ minLength: 1, description: 'For developers. The text may change.' }),
      param: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'The invalid field, such as `acceptedPayments[1].token`.',
        }),
      ),
    }),
  },
  { title: 'Error', description: 'Body of every error response.' },
)
