import { type Html, html } from '../../shared/runtime/html.ts'
import { renderIcon } from './icons.ts'
import type { Phrase } from './languages.ts'
import { outboundLink } from './outbound-link.ts'
import { nameOf } from './payee.ts'
import type { Checkout } from './project.ts'
import type { Translator } from './translate.ts'

type Link = { readonly phrase: Phrase; readonly className: string; readonly amount?: string }

/** Renders a link to the merchant's contact; returns `null` if the merchant has set none. */
export function renderSupportLink(
  checkout: Checkout,
  words: Translator,
  { phrase, className, amount = '' }: Link,
): Html | null {
  const { support } = checkout
  if (support === null) return null
  const text = words.say(phrase, { payee: nameOf(checkout, words), amount })
  return className === ''
    ? html`<a ${outboundLink(support)}>${text}</a>`
    : html`<a class="${className}" ${outboundLink(support)}>${renderIcon('mail')}<span>${text}</span></a>`
}

/** Renders the contact link as a button for a request to the merchant, such as a refund. */
export function renderSupportButton(
  checkout: Checkout,
  words: Translator,
  link: Omit<Link, 'className'>,
): Html | null {
  return renderSupportLink(checkout, words, { ...link, className: 'btn' })
}
