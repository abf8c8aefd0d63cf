import { renderQrCode } from '../charges/qrcode/render-qr-code.ts'
import { Html, html } from '../http/html.ts'
import type { Payment } from './list-payments.ts'
import { outboundLink } from './outbound-link.ts'
import { type Choice, choiceLink } from './payment-choice.ts'
import type { Checkout } from './project.ts'
import { renderProgress } from './render-progress.ts'
import { renderRefused } from './render-refused.ts'
import type { Translator } from './translate.ts'

type Payable = Checkout & { readonly howToPay: NonNullable<Checkout['howToPay']> }

type On = { readonly choice: Choice; readonly words: Translator; readonly now: Date }

/**
 * Renders the ways to pay the amount due: the choices, and the amount and address of the chosen one.
 *
 * All of it is inside `#how`, which the page's script hides while a payment sent from the page is pending. The script
 * fills `#wallet`.
 */
export function renderPayment(checkout: Payable, on: On): Html {
  const { words, choice, now } = on
  const { expiresAt } = checkout
  const left = html`<span data-deadline="${expiresAt}">${words.timeLeft(expiresAt, now)}</span>`
  return html`
${received(checkout, words)}
${onItsWay(checkout, words)}
<div id="sent"></div>
<div id="how">
<p>${words.say('pay.deadline', { time: words.moment(expiresAt), left })}</p>
${choice.payment === null ? picker(checkout, on) : instructions(checkout, { ...on, payment: choice.payment })}
<p class="warning">${words.say(checkout.seen === null ? 'pay.sent' : 'seen.restSent')}</p>
</div>
${checkout.refusedTransfers.length === 0 ? null : html`<dl>${renderRefused(checkout, words)}</dl>`}
`
}

function received({ amount, amountReceived, currency }: Checkout, words: Translator): Html | null {
  if (amountReceived === null) return null
  const values = {
    received: words.dollars(amountReceived, currency),
    amount: words.dollars(amount, currency),
  }
  return html`<p>${words.say('pay.received', values)}</p>`
}

/** A payer who has sent a part must see it here, or they would send it again with the rest. */
function onItsWay(checkout: Checkout, words: Translator): Html | null {
  const { seen, remainingAfterSeen, currency } = checkout
  if (seen === null) return null
  const values = {
    sent: words.dollars(seen, currency),
    remaining: words.dollars(remainingAfterSeen ?? '0', currency),
  }
  return html`<p>${words.say('seen.part', values)}</p>${renderProgress(checkout, words)}`
}

function picker({ howToPay, environment }: Payable, on: On): Html {
  return html`<h2 id="choose">${on.words.say('pay.choose')}</h2>
${choices(howToPay.payments, { ...on, environment })}`
}

/** Other ways to pay are collapsed, so that they do not distract from the chosen one. */
function others({ howToPay, environment }: Payable, on: On): Html | null {
  const rest = howToPay.payments.filter((payment) => payment !== on.choice.payment)
  if (rest.length === 0) return null
  return html`<details id="others">
<summary id="choose">${on.words.say('pay.chooseOther')}</summary>
${choices(rest, { ...on, environment })}
</details>`
}

function choices(
  payments: readonly Payment[],
  { choice, words, environment }: On & Pick<Checkout, 'environment'>,
): Html {
  const entries = payments.map(
    (payment) =>
      html`<li><a href="${choiceLink({ ...choice, payment })}">${words.pair(payment, environment)}</a></li>`,
  )
  return html`<ul class="choices" aria-labelledby="choose">${entries}</ul>`
}

function instructions(checkout: Payable, on: On & { readonly payment: Payment }): Html {
  const { howToPay, environment } = checkout
  const { choice, words, payment } = on
  const { address } = howToPay
  const { isLink } = choice
  const { token, chainId: id } = payment
  const pair = words.pair(payment, environment)
  const network = words.network(payment.network, environment)
  return html`<h2>${words.say('pay.send', { pair })}</h2>
${others(checkout, on)}
<div id="wallet"></div>
<p class="warning">${words.say('pay.only', { token, network })}</p>
${fee(payment, words)}
<dl>
<dt>${words.say('pay.amount')}</dt><dd><code class="large" data-copy>${payment.amount}</code> ${token}</dd>
<dt>${words.say('pay.address')}</dt><dd><code data-copy>${address}</code></dd>
<dt>${words.say('pay.network')}</dt><dd>${words.say('pay.chain', { network, id })}</dd>
<dt>${words.say('pay.contract')}</dt><dd><code data-copy>${payment.tokenAddress}</code></dd>
</dl>
${isLink ? linkCode(payment, { words, pair }) : addressCode(address, words)}
<p><a href="${choiceLink({ ...choice, isLink: !isLink })}">${words.say(isLink ? 'pay.showAddress' : 'pay.showLink')}</a></p>`
}

/** A payer without the network's coin cannot send at all, except on a network whose fee is paid in the token. */
function fee({ chain, token }: Payment, words: Translator): Html | null {
  const coin = chain?.nativeCurrency.symbol
  return coin === undefined || coin === token ? null : html`<p>${words.say('pay.fee', { coin })}</p>`
}

function addressCode(address: string, words: Translator): Html {
  return html`<h3 class="quiet">${words.say('pay.scan')}</h3>
<div class="qr" role="img" aria-label="${words.plain('pay.qrAddress')}">${new Html(renderQrCode(address))}</div>
<p>${words.say('pay.addressOnly')}</p>`
}

function linkCode(
  { uri, amount }: Payment,
  { words, pair }: { readonly words: Translator; readonly pair: string },
): Html {
  return html`<h3 class="quiet">${words.say('pay.scanLink')}</h3>
<div class="qr" role="img" aria-label="${words.plain('pay.qrLink')}">${new Html(renderQrCode(uri))}</div>
<p>${words.say('pay.notEvery', { amount: `${amount} ${pair}` })}</p>
<p><a class="button" ${outboundLink(uri)}>${words.say('pay.open')}</a></p>`
}
