import { type Html, html } from '../../shared/runtime/html.ts'
import { buildPageData } from './build-page-data.ts'
import { renderFrame } from './frame.ts'
import { returnLink } from './outbound-link.ts'
import { nameOf, nameText } from './payee.ts'
import { type Choice, parseChoice } from './payment-choice.ts'
import type { Checkout } from './project.ts'
import { renderCheck, renderCheckNotice } from './render-check.ts'
import { renderFooter } from './render-footer.ts'
import { getOutcomeTitle, OUTCOMES } from './render-outcome.ts'
import { renderPayment } from './render-payment.ts'
import { renderNote } from './render-state.ts'
import { renderSummary } from './render-summary.ts'
import { chooseWrongTitle, findShownWrongPayment, renderWrongPayment } from './render-wrong-payment.ts'
import type { Translator } from './translate.ts'

/** The request that a page is rendered for. */
export type PageAt = {
  /** Query of the page's URL, which holds the payer's choices. */
  readonly query: URLSearchParams
  readonly now: Date
  readonly words: Translator
  /** Origins that may embed the page. */
  readonly frameOrigins: readonly string[]
  /** Path of the page's script relative to the page; `null` if there is no script. */
  readonly script: string | null
  /** The page's own URL, without a query. */
  readonly pageUrl: string
  /** Whether the page links to wallet apps. */
  readonly hasWalletLinks: boolean
}

/**
 * Renders a charge's page for its payer. The page works without a script.
 *
 * While the charge can change, the page reloads itself, because a payer could pay twice on a stale page. The payer can
 * turn the reload off (WCAG 2.2, 2.2.1).
 */
export function renderCheckout(checkout: Checkout, at: PageAt): string {
  const { howToPay, screen } = checkout
  const { words } = at
  const choice = parseChoice(at.query, howToPay?.payments ?? [])
  const wrong = findShownWrongPayment(checkout, choice)
  const isSubject = screen === 'pay' && wrong === null
  const reloadSeconds = WAITING.has(screen) ? REFRESH_SECONDS : null
  return renderFrame({
    ...at,
    title: wrong === null ? getTitle(checkout, words) : words.plain(chooseWrongTitle(wrong)),
    brand: checkout.brand,
    header: renderSummary(checkout, { ...at, choice, isSubject }),
    main: html`${renderCheckNotice(at.query, words)}${isSubject ? renderEscrow(checkout, words) : null}${renderSubject(checkout, { ...at, choice })}${wrong === null ? renderCheck(checkout, choice, words) : null}`,
    data: JSON.stringify(buildPageData(checkout, { ...at, chosen: choice.payment })),
    footer: renderFooter(checkout, { ...at, choice, reloadSeconds, hasContact: CONTACTS.has(screen) }),
    refreshSeconds: choice.isLive ? reloadSeconds : null,
  })
}

/** Reload interval. It leaves time to read and copy, and causes at most three page loads per minute. */
const REFRESH_SECONDS = 20

const WAITING: ReadonlySet<Checkout['screen']> = new Set(['pay', 'signed', 'seen', 'deciding', 'unavailable'])

/** Screens whose content includes a button to contact the merchant, if there is a contact. */
const CONTACTS: ReadonlySet<Checkout['screen']> = new Set(['underpaid', 'expired', 'late'])

function renderSubject(checkout: Checkout, at: PageAt & { readonly choice: Choice }): Html | null {
  const { howToPay, screen } = checkout
  const { choice, words } = at
  if (screen !== 'pay') return OUTCOMES[screen](checkout, at)
  const wrong = findShownWrongPayment(checkout, choice)
  if (wrong !== null) return html`${renderWrongPayment(wrong, at)}${renderReturnLink(checkout, words)}`
  const { payment } = choice
  if (howToPay === null || payment === null) return null
  const pageUrl = `${at.pageUrl}${linkedQuery(checkout, choice)}`
  return html`${renderPayment({ ...checkout, howToPay }, { ...at, payment, pageUrl })}${renderReturnLink(checkout, words)}`
}

/**
 * Returns the query that opens the page on a phone or in a wallet with the same pair and language; defaults are
 * omitted.
 */
function linkedQuery({ howToPay }: Checkout, { payment, language }: Choice): string {
  const isDefault = payment === howToPay?.payments[0]
  const query = new URLSearchParams({
    ...(payment === null || isDefault ? {} : { token: payment.token, network: payment.network }),
    ...(language === null ? {} : { lang: language }),
  }).toString()
  return query && `?${query}`
}

function getTitle(checkout: Checkout, words: Translator): string {
  const { screen, remainingAfterSeen, amount, amountReceived, seen, currency } = checkout
  if (screen !== 'pay') return words.plain(getOutcomeTitle(checkout))
  if (amountReceived === null && seen === null) {
    return words.plain('title.pay', {
      amount: words.dollars(amount, currency),
      payee: nameText(checkout, words),
    })
  }
  return words.plain('title.rest', { amount: words.dollars(remainingAfterSeen ?? '0', currency) })
}

/** Renders a note about the escrow, which the payer must read before sending. */
function renderEscrow(checkout: Checkout, words: Translator): Html | null {
  return checkout.isEscrow ? renderNote(words.say('escrow.note', { payee: nameOf(checkout, words) })) : null
}

function renderReturnLink(checkout: Checkout, words: Translator): Html | null {
  const { redirectUrl } = checkout
  if (redirectUrl === null) return null
  const text = words.say('return', { payee: nameOf(checkout, words) })
  return html`<p class="more"><a ${returnLink(redirectUrl)}>${text}</a></p>`
}
