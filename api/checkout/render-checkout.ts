import { type Html, html } from '../html.ts'
import { type Choice, choiceLink, readChoice } from './choice.ts'
import { renderFrame } from './frame.ts'
import { LANGUAGES, type Language, type Phrase } from './languages.ts'
import { pageDataOf } from './page-data-of.ts'
import type { Checkout } from './project.ts'
import { renderCheck, renderCheckNotice } from './render-check.ts'
import { OUTCOMES } from './render-outcome.ts'
import { renderPayment } from './render-payment.ts'
import type { Words } from './words.ts'

/** What a page depends on besides its charge. */
export type PageAt = {
  /** Of the page's address: what was chosen. */
  readonly query: URLSearchParams
  readonly now: Date
  readonly words: Words
  /** The path of the page's script, from the page; `null`: there is none. */
  readonly script: string | null
}

/**
 * Writes the page of a charge for its payer, which needs no script.
 *
 * While something is waited for it reloads itself, unless the payer has switched that off (WCAG 2.2, 2.2.1): a page that
 * still asks for what was sent would be paid twice.
 */
export function renderCheckout(checkout: Checkout, at: PageAt): string {
  const { howToPay, screen } = checkout
  const { words } = at
  const choice = readChoice(at.query, howToPay?.payments ?? [])
  const isWaiting = screen === 'pay' || screen === 'seen' || screen === 'deciding' || screen === 'unavailable'
  const body =
    screen !== 'pay'
      ? OUTCOMES[screen](checkout, words)
      : howToPay && renderPayment({ ...checkout, howToPay }, { ...at, choice })
  // Before anything is sent it is to be known where it goes.
  const escrow = escrowNote(checkout, words)
  return renderFrame({
    ...at,
    title: titleOf(checkout, words),
    brand: checkout.brand,
    banner: checkout.environment === 'test' ? testBanner(checkout, words) : null,
    main: html`${renderCheckNotice(at.query, words)}${products(checkout, words)}${screen === 'pay' ? escrow : null}${body}${screen === 'pay' ? null : escrow}${renderCheck(checkout, choice, words)}${wayBack(checkout, words)}`,
    data: JSON.stringify(pageDataOf(checkout, { ...at, chosen: choice.payment })),
    isGood: screen === 'paid' && checkout.escrowEnd !== 'refunded',
    footer: footer(checkout, { ...at, choice, isWaiting }),
    refreshSeconds: isWaiting && choice.isLive ? REFRESH_SECONDS : null,
  })
}

/** Time to read and to copy; three pages a minute. */
const REFRESH_SECONDS = 20

function titleOf(checkout: Checkout, words: Words): string {
  const { screen, remaining, amount, amountReceived, currency, isOverpaid, escrowEnd } = checkout
  switch (screen) {
    case 'pay':
      return amountReceived === null
        ? words.plain('title.pay', { amount: words.dollars(amount, currency) })
        : words.plain('title.rest', { amount: words.dollars(remaining ?? '0', currency) })
    case 'paid':
      if (escrowEnd === 'refunded') return words.plain('title.refunded')
      return words.plain(isOverpaid ? 'title.overpaid' : 'title.paid')
    case 'seen':
    case 'deciding':
    case 'unavailable':
    case 'underpaid':
    case 'expired':
      return words.plain(`title.${screen}`)
  }
}

function testBanner({ isSimulated }: Checkout, words: Words): Html {
  return html`<p class="test">${words.say(isSimulated ? 'test.simulated' : 'test.real')}</p>`
}

function escrowNote({ isEscrow, screen }: Checkout, words: Words): Html | null {
  return isEscrow && screen !== 'paid' ? html`<p>${words.say('escrow.note')}</p>` : null
}

function products({ products: shown }: Checkout, words: Words): Html | null {
  if (shown.length === 0) return null
  const isPictured = shown.some(({ imageUrl }) => imageUrl !== null)
  const entries = shown.map(({ name, quantity, imageUrl }) => {
    const text = html`${quantity === null ? null : `${quantity} × `}<bdi>${name}</bdi>`
    return isPictured ? html`<li>${picture(imageUrl)}<span>${text}</span></li>` : html`<li>${text}</li>`
  })
  const list = isPictured ? html`<ul class="pictured" role="list">${entries}</ul>` : html`<ul>${entries}</ul>`
  return html`<div class="products"><h2>${words.say('products.title')}</h2>${list}</div>`
}

/** Beside the name, which says all that has to be said; the page's address is not told to who serves the picture. */
function picture(url: string | null): Html {
  if (url === null) return html`<span class="none"></span>`
  return html`<img src="${url}" alt="" width="48" height="48" loading="lazy" decoding="async" referrerpolicy="no-referrer">`
}

/** By a link and not by itself: what a merchant is told he is told by his webhook. */
function wayBack({ redirectUrl, screen }: Checkout, words: Words): Html | null {
  if (redirectUrl === null) return null
  const text = words.say('return')
  return screen === 'paid'
    ? html`<p id="return"><a class="button" href="${redirectUrl}" rel="noreferrer">${text}</a></p>`
    : html`<p><a href="${redirectUrl}" rel="noreferrer">${text}</a></p>`
}

type FooterAt = PageAt & { readonly choice: Choice; readonly isWaiting: boolean }

function footer({ id }: Checkout, { words, choice, isWaiting, now }: FooterAt): Html {
  const other = choiceLink({ ...choice, isLive: !choice.isLive })
  const reloads = isWaiting && choice.isLive
  const switching: Phrase = choice.isLive ? 'footer.stop' : 'footer.start'
  return html`<p>${words.say('footer.asOf', { time: words.moment(now.toISOString()) })} <span class="unscripted">${reloads ? words.say('footer.reloads', { seconds: REFRESH_SECONDS }) : null}</span></p>
<p class="links"><a href="${choiceLink(choice)}">${words.say('footer.look')}</a>
${isWaiting ? html`<a class="unscripted" href="${other}">${words.say(switching)}</a>` : null}</p>
<p>${words.say('footer.reference', { id: html`<code>${id}</code>` })}</p>
${languages(choice, words)}`
}

function languages(choice: Choice, words: Words): Html {
  const entries = Object.entries(LANGUAGES).map(([code, name]) => {
    const language = code as Language
    const isCurrent = language === words.language
    return html`<li><a href="${choiceLink({ ...choice, language })}" lang="${code}" hreflang="${code}"${isCurrent ? html` aria-current="true"` : null}>${name}</a></li>`
  })
  return html`<nav aria-label="${words.plain('footer.language')}"><ul class="languages">${entries}</ul></nav>`
}
