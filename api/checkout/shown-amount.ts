import { type AttoDollars, atto } from '../../shared/domain/money.ts'

/** One cent. Pages do not announce less, which a rounding or a stranger could cause (decisions 9.7). */
const MIN_SHOWN_ATTO = atto(10n ** 16n)

/** Whether a page announces an amount that it has not requested, such as an excess. */
export function isShownAmount(amount: AttoDollars): boolean {
  return amount >= MIN_SHOWN_ATTO
}
