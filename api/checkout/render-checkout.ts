import { type Html, html } from '../http/html.ts'
import { buildPageData } from './build-page-data.ts'
import { renderFrame } from './frame.ts'
import { LANGUAGES, type Language, type Phrase } from './languages.ts'
import { returnLink } from './outbound-link.ts'
import { type Choice, choiceLink, parseChoice } from './payment-choice.ts'
import type { Checkout } from './project.ts'
import { renderCheck, renderCheckNotice } from './render-check.ts'
import { OUTCOMES } from './render-outcome.ts'
import { renderPayment } from './render-payment.ts'
import { chooseWrongTitle, findShownWrongPayment, renderWrongPayment } from './render-wrong-payment.ts'
import type { Translator } from './translate.ts'

/** The request that a page is rendered for. */
export type PageAt = {
  /** The query of the page's address, which holds the payer's choices. */
  readonly query: URLSearchParams
  readonly now: Date
  readonly words: Translator
  /** Origins that may embed the page. */
  readonly frameOrigins: readonly string[]
  /** Path of the page's script relative to the page; `null` if there is no script. */
  readonly script: string | null
}

/**
 * Renders a charge's page for its payer. It works without a script.
 *
 * While the charge can change, the page reloads itself, unless the payer has switched that off (WCAG 2.2, 2.2.1). A
 * stale page that still requests a payment would be paid twice.
 */
export function renderCheckout(checkout: Checkout, at: PageAt): string {
  const { howToPay, screen } = checkout
  const { words } = at
  const choice = parseChoice(at.query, howToPay?.payments ?? [])
  const isWaiting = screen === 'pay' || screen === 'seen' || screen === 'deciding' || screen === 'unavailable'
  const wrong = findShownWrongPayment(checkout, choice)
  const body =
    screen !== 'pay'
      ? OUTCOMES[screen](checkout, words)
      : wrong !== null
        ? renderWrongPayment(wrong, { choice, words })
        : howToPay && renderPayment({ ...checkout, howToPay }, { ...at, choice })
  // The payer must know about the escrow before sending.
  const escrow = escrowNote(checkout, words)
  return renderFrame({
    ...at,
    title: wrong === null ? getTitle(checkout, words) : words.plain(chooseWrongTitle(wrong)),
    brand: checkout.brand,
    banner: checkout.environment === 'test' ? testBanner(checkout, words) : null,
    main: html`${renderCheckNotice(at.query, words)}${renderProducts(checkout, words)}${screen === 'pay' ? escrow : null}${body}${screen === 'pay' ? null : escrow}${renderCheck(checkout, choice, words)}${renderReturnLink(checkout, words)}`,
    data: JSON.stringify(buildPageData(checkout, { ...at, chosen: choice.payment })),
    isGood: screen === 'paid' && checkout.escrowEnd !== 'refunded',
    footer: renderFooter(checkout, { ...at, choice, isWaiting }),
    refreshSeconds: isWaiting && choice.isLive ? REFRESH_SECONDS : null,
  })
}

/** Leaves time to read and copy, and stays at three page loads per minute. */
const REFRESH_SECONDS = 20

function getTitle(checkout: Checkout, words: Translator): string {
  const { screen, remainingAfterSeen, amount, amountReceived, seen, currency, isOverpaid, escrowEnd } =
    checkout
  switch (screen) {
    case 'pay':
      return amountReceived === null && seen === null
        ? words.plain('title.pay', { amount: words.dollars(amount, currency) })
        : words.plain('title.rest', { amount: words.dollars(remainingAfterSeen ?? '0', currency) })
    case 'paid':
      if (escrowEnd === 'refunded') return words.plain('title.refunded')
      return words.plain(isOverpaid ? 'title.overpaid' : 'title.paid')
    case 'seen':
    case 'deciding':
    case 'unavailable':
    case 'underpaid':
    case 'expired':
      return words.plain(`title.${screen}`)
    case 'late':
      return words.plain('title.expired')
  }
}

function testBanner({ isSimulated }: Checkout, words: Translator): Html {
  return html`<p class="test">${words.say(isSimulated ? 'test.simulated' : 'test.real')}</p>`
}

function escrowNote({ isEscrow, screen }: Checkout, words: Translator): Html | null {
  return isEscrow && screen !== 'paid' ? html`<p>${words.say('escrow.note')}</p>` : null
}

function renderProducts({ products: shown }: Checkout, words: Translator): Html | null {
  if (shown.length === 0) return null
  const isPictured = shown.some(({ imageUrl }) => imageUrl !== null)
  const entries = shown.map(({ name, quantity, imageUrl }) => {
    const text = html`${quantity === null ? null : `${quantity} × `}<bdi>${name}</bdi>`
    return isPictured ? html`<li>${renderPicture(imageUrl)}<span>${text}</span></li>` : html`<li>${text}</li>`
  })
  const list = isPictured ? html`<ul class="pictured" role="list">${entries}</ul>` : html`<ul>${entries}</ul>`
  return html`<div class="products"><h2>${words.say('products.title')}</h2>${list}</div>`
}

/**
 * Decorative: the name next to it carries the information. The host of the picture does not learn the page's address.
 */
function renderPicture(url: string | null): Html {
  if (url === null) return html`<span class="none"></span>`
  return html`<img src="${url}" alt="" width="48" height="48" loading="lazy" decoding="async" referrerpolicy="no-referrer">`
}

/** Renders a link instead of redirecting: the merchant is notified by webhook, not by the payer's return. */
function renderReturnLink({ redirectUrl, screen }: Checkout, words: Translator): Html | null {
  if (redirectUrl === null) return null
  const text = words.say('return')
  return screen === 'paid'
    ? html`<p id="return"><a class="button" ${returnLink(redirectUrl)}>${text}</a></p>`
    : html`<p><a ${returnLink(redirectUrl)}>${text}</a></p>`
}

type FooterAt = PageAt & { readonly choice: Choice; readonly isWaiting: boolean }

function renderFooter({ id }: Checkout, { words, choice, isWaiting, now }: FooterAt): Html {
  const other = choiceLink({ ...choice, isLive: !choice.isLive })
  const reloads = isWaiting && choice.isLive
  const switching: Phrase = choice.isLive ? 'footer.stop' : 'footer.start'
  return html`<p>${words.say('footer.asOf', { time: words.moment(now.toISOString()) })} <span class="unscripted">${reloads ? words.say('footer.reloads', { seconds: REFRESH_SECONDS }) : null}</span></p>
<p class="links"><a href="${choiceLink(choice)}">${words.say('footer.look')}</a>
${isWaiting ? html`<a class="unscripted" href="${other}">${words.say(switching)}</a>` : null}</p>
<p>${words.say('footer.reference', { id: html`<code>${id}</code>` })}</p>
${renderLanguages(choice, words)}`
}

function renderLanguages(choice: Choice, words: Translator): Html {
  const entries = Object.entries(LANGUAGES).map(([code, name]) => {
    const language = code as Language
    const isCurrent = language === words.language
    return html`<li><a href="${choiceLink({ ...choice, language })}" lang="${code}" hreflang="${code}"${isCurrent ? html` aria-current="true"` : null}>${name}</a></li>`
  })
  return html`<nav aria-label="${words.plain('footer.language')}"><ul class="languages">${entries}</ul></nav>`
}
