import { type Html, html } from '../../shared/runtime/html.ts'
import { renderIcon } from './icons.ts'
import type { Payable, PaymentAt } from './payment-at.ts'
import { renderNote } from './render-state.ts'

/** Renders the values that a payer who sends by hand must enter, with a warning to use only this token and network. */
export function renderTransferDetails(checkout: Payable, at: PaymentAt): Html {
  const { howToPay, environment } = checkout
  const { words, payment } = at
  const { chainId: id } = payment
  const network = words.network(payment.network, environment)
  return html`<dl class="rows">
${renderAmount(at)}
<div><dt>${words.say('pay.address')}</dt><dd>${renderAddress(howToPay.address, 'ends')}</dd></div>
</dl>
${renderNote(renderOnly(checkout, at), 'warn')}
<details class="fold" id="details"><summary>${words.say('pay.details')} ${renderIcon('down')}</summary>
<dl class="rows">
<div><dt>${words.say('pay.network')}</dt><dd>${words.say('pay.chain', { network, id })}</dd></div>
<div><dt>${words.say('pay.contract')}</dt><dd>${renderAddress(payment.tokenAddress, '')}</dd></div>
</dl></details>`
}

/**
 * Renders the amount to copy; returns `null` for an exchange. Most exchanges deduct their fee from the entered amount,
 * so a payer who copied the amount due would pay too little.
 */
function renderAmount({ words, payment, choice }: PaymentAt): Html | null {
  if (choice.way === 'exchange') return null
  const amount = html`<b class="large" data-copy>${padFraction(payment.amount)}</b> ${payment.token}`
  return html`<div><dt>${words.say('pay.amount')}</dt><dd>${amount}</dd></div>`
}

/**
 * Renders the warning to use only this token and network. While another pair is unavailable, the warning is only about
 * new payments, because a payment already sent with that pair still counts.
 */
export function renderOnly(
  { unavailablePayments, environment }: Payable,
  { words, payment }: PaymentAt,
): Html {
  const pair = words.pair(payment, environment)
  return words.say(unavailablePayments.length === 0 ? 'pay.only' : 'pay.onlyNow', { pair })
}

/**
 * Renders an address in groups of four characters, which are easier to compare. The gaps are margins, so that copied
 * text contains no spaces.
 */
export function renderAddress(address: string, className: string): Html {
  const groups = /^(0x)?/.exec(address)?.[0] === '0x' ? /(?:^0x)?.{1,4}/g : /.{1,4}/g
  const parts = (address.match(groups) ?? []).map((group) => html`<span class="group">${group}</span>`)
  return html`<code class="${className}" data-copy>${parts}</code>`
}

/** Returns an exact decimal with at least two fractional digits, in the form that wallets accept. */
export function padFraction(exact: string): string {
  const [whole = '', fraction = ''] = exact.split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}
