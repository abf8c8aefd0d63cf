import type postgres from 'postgres'
import { invariant } from '../domain/errors.ts'

/** A type whose values can also be array elements. */
type Type<Value> = postgres.PostgresType<Value> & { readonly serialize: (value: unknown) => string }

/** Parameter types in addition to the driver's own. See `connect` for the rules. */
export type ValueTypes = {
  numeric: bigint
  int8: number
  texts: readonly string[]
  int4s: readonly number[]
  int8s: readonly number[]
  numerics: readonly bigint[]
}

const NUMERIC: Type<bigint> = {
  to: 1700,
  from: [1700],
  serialize: (value: unknown) => {
    // Fractions, such as percents, are passed as text. Numbers are rejected, because a double cannot hold every amount.
    invariant(
      typeof value === 'bigint' || typeof value === 'string',
      `numeric parameter is a ${typeof value}`,
    )
    return String(value)
  },
  parse: (text: string) => {
    invariant(/^-?\d+$/.test(text), `numeric ${text} is not an integer; select it as ::text`)
    return BigInt(text)
  },
}

const INT8: Type<number> = {
  to: 20,
  from: [20],
  serialize: (value: unknown) => {
    invariant(
      typeof value !== 'bigint',
      `bigint parameter ${String(value)} is not wrapped in sql.types.numeric`,
    )
    return String(value)
  },
  parse: (text: string) => {
    const value = Number(text)
    invariant(
      Number.isSafeInteger(value),
      `int8 ${text} is not from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`,
    )
    return value
  },
}

const TEXT: Type<string> = {
  to: 25,
  from: [25],
  serialize: (value: unknown) => {
    invariant(typeof value === 'string', `text in an array is a ${typeof value}`)
    return value
  },
  parse: (text: string) => text,
}
const INT4: Type<number> = { to: 23, from: [23], serialize: String, parse: Number }

/** The driver's option `types`. The OIDs of arrays are PostgreSQL's own, the same in every database. */
export const VALUE_TYPES = {
  numeric: NUMERIC,
  int8: INT8,
  texts: arrayOf(TEXT, 1009),
  int4s: arrayOf(INT4, 1007),
  int8s: arrayOf(INT8, 1016),
  numerics: arrayOf(NUMERIC, 1231),
}

/** @see https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
function arrayOf<Value>(element: Type<Value>, oid: number): postgres.PostgresType<readonly Value[]> {
  return {
    to: oid,
    from: [oid],
    serialize: (values: unknown) => {
      // If a query is retried on another connection, its value is already serialized.
      if (!Array.isArray(values)) return values
      return `{${values.map((value) => writeElement(element.serialize, value)).join(',')}}`
    },
    parse: (text: string) => {
      invariant(ARRAY.test(text), `${text} is not a one-dimensional array`)
      return [...text.slice(1, -1).matchAll(ELEMENT)].map(([bare, quoted]) => {
        if (quoted !== undefined) return element.parse(quoted.replaceAll(/\\(.)/gs, '$1')) as Value
        return bare === 'NULL' ? (null as Value) : (element.parse(bare) as Value)
      })
    },
  }
}

const ARRAY = /^\{[^{]/
/** The first capture group is the text of a quoted element. */
const ELEMENT = /"((?:[^"\\]|\\.)*)"|[^,]+/gs

function writeElement(serialize: (value: unknown) => string, value: unknown): string {
  if (value === null) return 'NULL'
  invariant(value !== undefined, 'an array contains undefined')
  invariant(!Array.isArray(value), 'an array contains an array')
  return `"${serialize(value).replaceAll(/["\\]/g, '\\$&')}"`
}
