import { type Html, html } from '../html.ts'
import { type Choice, choiceLink, readChoice } from './choice.ts'
import { renderFrame } from './frame.ts'
import type { Checkout } from './project.ts'
import { renderCheck, renderCheckNotice } from './render-check.ts'
import { OUTCOMES } from './render-outcome.ts'
import { renderPayment } from './render-payment.ts'
import { dollars, moment } from './words.ts'

/**
 * Writes the page of a charge for its payer, which needs no script.
 *
 * While something is waited for it reloads itself, unless the payer has switched that off (WCAG 2.2, 2.2.1): a page that
 * still asks for what was sent would be paid twice.
 *
 * @param at.query - of the page's address: what was chosen
 */
export function renderCheckout(
  checkout: Checkout,
  at: { readonly query: URLSearchParams; readonly now: Date },
): string {
  const { howToPay, screen } = checkout
  const choice = readChoice(at.query, howToPay?.payments ?? [])
  const isWaiting = screen === 'pay' || screen === 'seen' || screen === 'deciding' || screen === 'unavailable'
  const body =
    screen !== 'pay'
      ? OUTCOMES[screen](checkout)
      : howToPay && renderPayment({ ...checkout, howToPay }, choice, at.now)
  return renderFrame({
    title: titleOf(checkout),
    banner: checkout.environment === 'test' ? testBanner(checkout) : null,
    main: html`${renderCheckNotice(at.query)}${products(checkout)}${body}${escrowNote(checkout)}${renderCheck(checkout, choice)}${wayBack(checkout)}`,
    isGood: screen === 'paid' && checkout.escrowEnd !== 'refunded',
    footer: footer(checkout, { choice, isWaiting, now: at.now }),
    refreshSeconds: isWaiting && choice.isLive ? REFRESH_SECONDS : null,
  })
}

/** Time to read and to copy; three pages a minute. */
const REFRESH_SECONDS = 20

function titleOf({
  screen,
  remaining,
  amount,
  amountReceived,
  currency,
  isOverpaid,
  escrowEnd,
}: Checkout): string {
  switch (screen) {
    case 'pay':
      return amountReceived === null
        ? `Pay ${dollars(amount, currency)}`
        : `Pay the remaining ${dollars(remaining ?? '0', currency)}`
    case 'seen':
      return 'Payment seen, being confirmed'
    case 'deciding':
      return 'The time is up: checking the network'
    case 'unavailable':
      return 'Payment is not possible at the moment'
    case 'paid':
      if (escrowEnd === 'refunded') return 'Paid, and refunded'
      return isOverpaid ? 'Paid, and more than asked for' : 'Paid'
    case 'underpaid':
      return 'Not paid in full'
    case 'expired':
      return 'This payment is closed'
  }
}

function testBanner({ isSimulated }: Checkout): Html {
  const why = isSimulated
    ? 'It is simulated and on no network. What stands below shows how a payment is asked for: send nothing, it would be lost.'
    : 'Send tokens of the test network only: real money would be lost.'
  return html`<p class="test"><strong>TEST.</strong> This is no real payment. ${why}</p>`
}

function escrowNote({ isEscrow, screen }: Checkout): Html | null {
  if (!isEscrow || screen === 'paid') return null
  return html`<p>This payment is held in escrow: what you send is kept until it is released to the merchant or refunded.</p>`
}

function products({ products: shown }: Checkout): Html | null {
  if (shown.length === 0) return null
  const entries = shown.map(
    ({ name, quantity }) => html`<li>${quantity === null ? null : `${quantity} × `}${name}</li>`,
  )
  return html`<div class="products"><h2>What it is for</h2><ul>${entries}</ul></div>`
}

/** By a link and not by itself: what a merchant is told he is told by his webhook. */
function wayBack({ redirectUrl, screen }: Checkout): Html | null {
  if (redirectUrl === null) return null
  const look =
    screen === 'paid'
      ? html`<a class="button" href="${redirectUrl}" rel="noreferrer">`
      : html`<a href="${redirectUrl}" rel="noreferrer">`
  return html`<p>${look}Return to the merchant</a></p>`
}

function footer(
  { id }: Checkout,
  { choice, isWaiting, now }: { readonly choice: Choice; readonly isWaiting: boolean; readonly now: Date },
): Html {
  const other = choiceLink({ ...choice, isLive: !choice.isLive })
  return html`<p>As of ${moment(now.toISOString())}. ${isWaiting && choice.isLive ? `This page reloads itself every ${REFRESH_SECONDS} seconds.` : null}</p>
<p class="links"><a href="${choiceLink(choice)}">Look again now</a>
${isWaiting ? html`<a href="${other}">${choice.isLive ? 'Stop reloading' : 'Reload by itself'}</a>` : null}</p>
<p>Reference: <code>${id}</code></p>`
}
