import { parseDecimal, truncateTo } from '../domain/decimal.ts'
import { invariant } from '../domain/errors.ts'
import { type MicroDollars, micro } from '../domain/money.ts'

/** Converts a setting that has passed the format `dollars`. */
export function parseDollars(text: string): MicroDollars {
  const decimal = parseDecimal(text)
  invariant(decimal, `dollars ${text} must have passed validation`)
  return micro(truncateTo(decimal, 6))
}
