import type { Decimal } from './decimal.ts'
import { invariant } from './errors.ts'
import { divCeil, type MicroDollars, micro } from './money.ts'
import { HUNDRED_PERCENT, type Percent } from './percent.ts'

/** Micro-dollars (10^-6) times 10^-20 percent (a hundredth each): 6 + 20 + 2 fractional digits of a dollar. */
const PRODUCT_SCALE = 28

/** Answers the fee on a gross amount, exactly: `amount × feePercent / 100` dollars (decisions 1.4). */
export function feeAmount(terms: { amountMicro: MicroDollars; feePercent: Percent }): Decimal {
  return { digits: terms.amountMicro * terms.feePercent, scale: PRODUCT_SCALE }
}

/** Answers what the merchant nets of a gross amount, exactly: `amount − feeAmount` dollars (decisions 1.4). */
export function merchantAmount(terms: { amountMicro: MicroDollars; feePercent: Percent }): Decimal {
  return { digits: terms.amountMicro * (HUNDRED_PERCENT - terms.feePercent), scale: PRODUCT_SCALE }
}

/**
 * Answers the least amount, to the micro-dollar, of which the merchant nets what was requested.
 *
 * @throws {Error} on a fee of 100 %, which leaves the merchant nothing of any amount
 * @see decisions 1.6
 */
export function grossUp(terms: { requestedMicro: MicroDollars; feePercent: Percent }): MicroDollars {
  const netPercent = HUNDRED_PERCENT - terms.feePercent
  invariant(netPercent > 0n, 'a fee of 100 % cannot be added to an amount')
  return micro(divCeil(terms.requestedMicro * HUNDRED_PERCENT, netPercent))
}
