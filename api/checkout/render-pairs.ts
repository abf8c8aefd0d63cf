import { type Html, html } from '../../shared/runtime/html.ts'
import { renderIcon } from './icons.ts'
import type { Payment } from './list-payments.ts'
import type { Payable, PaymentAt } from './payment-at.ts'
import { choiceLink } from './payment-choice.ts'
import { renderCoin } from './render-coin.ts'

/** Renders the chosen pair. The other pairs are collapsed, so that they do not distract from it. */
export function renderPairs(checkout: Payable, at: PaymentAt): Html {
  const { payment, words, choice } = at
  const { environment } = checkout
  const others = checkout.howToPay.payments.filter((other) => other !== payment)
  const chosen = `${formatAmount(payment, at)}${words.pair(payment, environment)}`
  const card = html`${renderCoin(payment)}<span><b>${chosen}</b>${renderFee(payment, at)}</span>`
  const paused = checkout.unavailablePayments.map(
    (pair) =>
      html`<li class="method">${renderCoin(pair)}<span><small>${words.say('pay.pausedPair', { pair: words.pair(pair, environment) })}</small></span></li>`,
  )
  if (others.length === 0 && paused.length === 0) return html`<div class="method">${card}</div>`
  const entries = others.map(
    (other) =>
      html`<li><a class="method" href="${choiceLink({ ...choice, payment: other, wanted: other })}">${renderCoin(other)}<span><b>${words.pair(other, environment)}</b></span></a></li>`,
  )
  return html`<details class="pairs" id="others"><summary class="method" aria-label="${chosen}: ${words.plain('pay.chooseOther')}">${card}<span class="act">${words.say('pay.chooseOther')} ${renderIcon('down')}</span></summary>
<ul class="choices" role="list">${entries}${paused}</ul></details>`
}

/** Returns the amount if the payer uses a wallet; the instructions of the other ways to pay contain the amount. */
function formatAmount({ amount }: Payment, { words, choice }: PaymentAt): string {
  return choice.way === 'wallet' ? `${words.number(amount)} ` : ''
}

/**
 * Renders which coin pays the network fee, because a payer without this coin cannot send. On some networks the token
 * itself pays the fee.
 */
function renderFee({ chain, token }: Payment, { words, choice }: PaymentAt): Html | null {
  const coin = chain?.nativeCurrency.symbol
  if (coin === undefined || coin === token || choice.way === 'exchange') return null
  return html`<small>${words.say('pay.fee', { coin })}</small>`
}
