import { type Html, html } from '../../shared/runtime/html.ts'
import { renderIcon } from './icons.ts'
import type { Phrase } from './languages.ts'
import { type Choice, choiceLink } from './payment-choice.ts'
import type { Checkout } from './project.ts'
import type { Translator } from './translate.ts'

/**
 * Renders the form with which a payer requests a search for a payment that they have sent. Returns `null` for a
 * simulated charge, and if the page already shows the payment.
 *
 * The form works without a script, because a payer whose payment is not shown must not depend on a script.
 */
export function renderCheck(checkout: Checkout, choice: Choice, words: Translator): Html | null {
  const { id, isSimulated, networks, environment, status, seen, amountReceived } = checkout
  if (isSimulated || isPaymentShown(checkout)) return null
  const title = seen === null && amountReceived === null ? 'check.title' : 'check.more'
  const options = networks.map(
    (network) => html`<option value="${network}">${words.network(network, environment)}</option>`,
  )
  return html`<details class="fold" id="check">
<summary>${words.say(title)} ${renderIcon('down')}</summary>
${checkout.screen === 'pay' ? html`<p>${words.say('pay.sent')}</p>` : null}
<form method="post" action="${id}/check${choiceLink(choice)}">
<p>${words.say(status === 'expired' ? 'check.enter' : 'check.look')}</p>
<p><label for="tx">${words.say('check.hash')}</label> <input id="tx" name="txHash" autocomplete="off" spellcheck="false" maxlength="80" dir="ltr"></p>
<p><label for="on">${words.say('pay.network')}</label> <select id="on" name="network">${options}</select></p>
<button class="sec">${words.say('check.button')}</button>
</form>
</details>`
}

/** Screens about a payment that has been seen, received or signed. */
const OF_A_PAYMENT: ReadonlySet<Checkout['screen']> = new Set(['signed', 'seen', 'paid', 'underpaid', 'late'])

function isPaymentShown({ screen, seen, remainingAfterSeen }: Checkout): boolean {
  return OF_A_PAYMENT.has(screen) || (seen !== null && remainingAfterSeen === null)
}

/** Renders the outcome of the check that redirected to this page; returns `null` without a check. */
export function renderCheckNotice(query: URLSearchParams, words: Translator): Html | null {
  const phrase = NOTICES.get(query.get('check'))
  return phrase === undefined
    ? null
    : html`<p class="note" role="status">${renderIcon('info')}<span>${words.say(phrase)}</span></p>`
}

const NOTICES: ReadonlyMap<string | null, Phrase> = new Map([
  ['done', 'check.done'],
  ['soon', 'check.soon'],
  ['invalid', 'check.invalid'],
  ['failed', 'check.failed'],
])
