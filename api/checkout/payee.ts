import { type Html, html } from '../http/html.ts'
import type { Checkout } from './project.ts'
import type { Translator } from './translate.ts'

/**
 * Returns the name of the paid party: the brand's, else the host of the merchant's site, else a generic one. It is kept
 * apart from the text around it, which might run in the other direction.
 */
export function nameOf(
  { brand, redirectUrl }: Pick<Checkout, 'brand' | 'redirectUrl'>,
  words: Translator,
): Html | string {
  const name = brand?.name ?? (redirectUrl === null ? null : new URL(redirectUrl).host)
  return name === null ? words.plain('payee.unknown') : html`<bdi>${name}</bdi>`
}
