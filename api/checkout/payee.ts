import { type Html, html } from '../../shared/runtime/html.ts'
import type { Checkout } from './project.ts'
import type { Translator } from './translate.ts'

type Named = Pick<Checkout, 'payee'>

/**
 * Returns the name of the paid party: the brand's name, otherwise the host of the merchant's site, otherwise a generic
 * name. `bdi` isolates a name or host from surrounding text in another writing direction.
 */
export function nameOf({ payee }: Named, words: Translator): Html | string {
  return payee === null ? words.plain('payee.unknown') : html`<bdi>${payee}</bdi>`
}

/** Returns the same name without markup. */
export function nameText({ payee }: Named, words: Translator): string {
  return payee ?? words.plain('payee.unknown')
}
