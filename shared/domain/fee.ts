import type { Decimal } from './decimal.ts'
import { invariant } from './errors.ts'
import { divCeil, type MicroDollars, micro } from './money.ts'
import { HUNDRED_PERCENT, type Percent } from './percent.ts'

/** Fractional digits of the product of micro-dollars (6) and a percent (20), divided by 100 (2). */
const PRODUCT_SCALE = 28

/** Returns the exact fee of a gross amount: `amount × feePercent / 100` dollars (decisions 1.4). */
export function feeAmount(terms: { amountMicro: MicroDollars; feePercent: Percent }): Decimal {
  return { digits: terms.amountMicro * terms.feePercent, scale: PRODUCT_SCALE }
}

/** Returns the merchant's exact net amount: `amount − feeAmount` dollars (decisions 1.4). */
export function merchantAmount(terms: { amountMicro: MicroDollars; feePercent: Percent }): Decimal {
  return { digits: terms.amountMicro * (HUNDRED_PERCENT - terms.feePercent), scale: PRODUCT_SCALE }
}

/**
 * Returns the smallest gross amount, in whole micro-dollars, whose net amount covers the requested amount.
 *
 * @throws {Error} if the fee is 100 %, because the merchant would then receive nothing
 * @see decisions 1.6
 */
export function grossUp(terms: { requestedMicro: MicroDollars; feePercent: Percent }): MicroDollars {
  const netPercent = HUNDRED_PERCENT - terms.feePercent
  invariant(netPercent > 0n, 'a fee of 100 % cannot be added to an amount')
  return micro(divCeil(terms.requestedMicro * HUNDRED_PERCENT, netPercent))
}
