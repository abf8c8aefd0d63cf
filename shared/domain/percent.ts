import { formatDecimal, parseDecimal, toNumber, truncateTo } from './decimal.ts'

declare const unit: unique symbol

/** A percentage from 0 to 100 in units of 10^-20 percent: 1.5 % is 15n * 10n ** 19n. */
export type Percent = bigint & { readonly [unit]: 'percent' }

const PERCENT_SCALE = 20

/** 100 %. */
export const HUNDRED_PERCENT = (100n * 10n ** BigInt(PERCENT_SCALE)) as Percent

/** Maximum fractional digits of a configured fee percent (decisions 1.5). */
export const FEE_FRACTION_DIGITS = 4

/** Maximum fractional digits of a split recipient's percent. The double `100 / 3` prints 15. */
export const SPLIT_FRACTION_DIGITS = PERCENT_SCALE

/** Brands `amount`, in units of 10^-20 percent, as a percentage, without a check. */
export function percent(amount: bigint): Percent {
  return amount as Percent
}

/**
 * Parses a percentage exactly from its JSON number text.
 *
 * @param options.maxFractionDigits - at most 20; trailing zeros do not count
 * @returns the percentage; `null` if the text is not a decimal, has more fractional digits, or is outside 0 to 100
 */
export function parsePercent(text: string, options: { maxFractionDigits: number }): Percent | null {
  const decimal = parseDecimal(text)
  if (decimal === null || decimal.scale > options.maxFractionDigits) return null
  const amount = truncateTo(decimal, PERCENT_SCALE)
  return amount >= 0n && amount <= HUNDRED_PERCENT ? percent(amount) : null
}

/** Formats a percentage as an exact decimal string without trailing zeros: "1.5". */
export function formatPercent(amount: Percent): string {
  return formatDecimal(amount, PERCENT_SCALE)
}

/** Returns the double nearest to the percentage, for JSON: 1.5. */
export function percentToNumber(amount: Percent): number {
  return toNumber(amount, PERCENT_SCALE)
}
