import { parseDecimal, truncateTo } from '../domain/decimal.ts'
import { invariant } from '../domain/errors.ts'
import { type MicroDollars, micro } from '../domain/money.ts'

/** Parses an amount of dollars that has been validated with the format `dollars`. */
export function parseDollars(text: string): MicroDollars {
  const decimal = parseDecimal(text)
  invariant(decimal, `dollars ${text} must have passed validation`)
  return micro(truncateTo(decimal, 6))
}
