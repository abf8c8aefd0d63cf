import { parseDecimal, truncateTo } from '../domain/decimal.ts'
import { invariant } from '../domain/errors.ts'
import { type MicroDollars, micro } from '../domain/money.ts'

/** Reads dollars from a setting whose text has passed the format `dollars`. */
export function dollarsOf(text: string): MicroDollars {
  const decimal = parseDecimal(text)
  invariant(decimal, `dollars ${text} passed their format`)
  return micro(truncateTo(decimal, 6))
}
