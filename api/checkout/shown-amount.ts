import { type AttoDollars, atto } from '../../shared/domain/money.ts'

/**
 * Smallest amount that pages announce, one cent. Smaller amounts may come from rounding or strangers (decisions 9.7).
 */
const MIN_SHOWN_ATTO = atto(10n ** 16n)

/** Returns whether a page announces an amount that it did not request, such as an excess. */
export function isShownAmount(amount: AttoDollars): boolean {
  return amount >= MIN_SHOWN_ATTO
}

/**
 * Returns whether a refused or late payment becomes the subject of the page. Its amount must be at least one cent and
 * half of `due`. Otherwise strangers could take over the page with a tiny transfer (decisions 9.7).
 */
export function isSubjectAmount(amount: AttoDollars, due: AttoDollars): boolean {
  return isShownAmount(amount) && 2n * amount >= due
}
