import { type Html, html } from '../../shared/runtime/html.ts'
import type { Payable, PaymentAt } from './payment-at.ts'
import { padFraction, renderTransferDetails } from './render-transfer-details.ts'

/**
 * Amount in dollars below which the page warns that many exchanges do not send such small amounts. The minimum of an
 * exchange depends on the token and the network.
 */
const SMALL_DOLLARS = 10

/**
 * Renders the steps of a withdrawal from an exchange.
 *
 * The steps name the amount that must arrive, which every exchange shows. Exchanges differ in whether they deduct their
 * fee from the entered amount.
 */
export function renderExchange(checkout: Payable, at: PaymentAt): Html {
  const { words, payment, now } = at
  const { token } = payment
  const network = words.network(payment.network, checkout.environment)
  const isSmall = Number(payment.amount) < SMALL_DOLLARS
  const time = words.clock(checkout.expiresAt, now)
  return html`${isSmall ? html`<p class="hint">${words.say('exchange.small')}</p>` : null}
<ol class="steps" role="list">
<li>${words.say('exchange.withdraw', { token, network })}</li>
<li>${words.say('exchange.net', { amount: `${padFraction(payment.amount)} ${token}` })}</li>
<li>${words.say('exchange.time', { time })}</li>
</ol>
${renderTransferDetails(checkout, at)}`
}
