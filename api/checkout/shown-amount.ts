import { type AttoDollars, atto } from '../../shared/domain/money.ts'

/**
 * Smallest amount that pages announce: one cent. Rounding or a stranger could cause smaller amounts (decisions 9.7).
 */
const MIN_SHOWN_ATTO = atto(10n ** 16n)

/** Returns whether a page announces an amount that it has not requested, such as an excess. */
export function isShownAmount(amount: AttoDollars): boolean {
  return amount >= MIN_SHOWN_ATTO
}

/**
 * Returns whether a payment that does not count, because it is refused or late, becomes the subject of the page: its
 * amount must be large enough to be announced, and at least half of `due`. Otherwise strangers could take over the page
 * with a tiny transfer (decisions 9.7).
 */
export function isSubjectAmount(amount: AttoDollars, due: AttoDollars): boolean {
  return isShownAmount(amount) && 2n * amount >= due
}
