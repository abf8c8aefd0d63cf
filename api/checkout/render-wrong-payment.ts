import { type Html, html } from '../http/html.ts'
import type { Phrase } from './languages.ts'
import { outboundLink } from './outbound-link.ts'
import { nameOf } from './payee.ts'
import { type Choice, choiceLink } from './payment-choice.ts'
import type { ShownTransfer } from './present-transfer.ts'
import type { Checkout } from './project.ts'
import type { Translator } from './translate.ts'

type Wrong = Checkout & { readonly wrongPayment: ShownTransfer }

/**
 * Returns the transfer that the payer must be told about before they pay; `null` if there is none, or if they have
 * chosen to pay in an accepted way after all.
 */
export function findShownWrongPayment(checkout: Checkout, { isInstead }: Choice): Wrong | null {
  const { wrongPayment } = checkout
  return wrongPayment === null || isInstead ? null : { ...checkout, wrongPayment }
}

/** Whether the payer sent another token to an accepted network, or to another network. */
export function chooseWrongTitle({ wrongPayment, networks }: Wrong): Phrase {
  return networks.includes(wrongPayment.network) ? 'title.wrongToken' : 'title.wrongNetwork'
}

/** Renders a transfer that does not count, and the ways on: the merchant, or a payment in an accepted way. */
export function renderWrongPayment(
  checkout: Wrong,
  { choice, words }: { readonly choice: Choice; readonly words: Translator },
): Html {
  const { wrongPayment, howToPay, environment, remainingAfterSeen, currency } = checkout
  const pairs = (howToPay?.payments ?? []).map((pair) => words.pair(pair, environment)).join(', ')
  const amount = words.dollars(remainingAfterSeen ?? '0', currency)
  return html`<div id="sent"></div>
<div id="how">
<p class="warning">${words.say('wrong.text', { sent: describeTransfer(checkout, wrongPayment, words), pairs })}</p>
<p>${words.say('wrong.contact', { payee: nameOf(checkout, words) })}</p>
<p>${renderHash(wrongPayment)}</p>
<p><a class="button secondary" href="${choiceLink({ ...choice, isInstead: true })}">${words.say('wrong.pay', { amount })}</a></p>
</div>`
}

/** Returns the amount and the pair of a transfer, such as "49.90 USDT on Base". */
export function describeTransfer(
  { environment }: Pick<Checkout, 'environment'>,
  { amount, ...pair }: ShownTransfer,
  words: Translator,
): string {
  return `${words.number(amount)} ${words.pair(pair, environment)}`
}

/** Renders the hash of a transfer, linked if an explorer shows it. */
export function renderHash({ txHash, txUrl }: Pick<ShownTransfer, 'txHash' | 'txUrl'>): Html {
  const code = html`<code>${txHash}</code>`
  return txUrl === null ? code : html`<a ${outboundLink(txUrl)}>${code}</a>`
}
