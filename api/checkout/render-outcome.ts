import { type Html, html } from '../http/html.ts'
import type { Screen } from './choose-screen.ts'
import { outboundLink } from './outbound-link.ts'
import type { Checkout } from './project.ts'
import { renderProgress } from './render-progress.ts'
import { renderRefused } from './render-refused.ts'
import type { Translator } from './translate.ts'

/** The content of every screen that does not request money. */
export const OUTCOMES: Readonly<
  Record<Exclude<Screen, 'pay'>, (checkout: Checkout, words: Translator) => Html>
> = {
  seen: (checkout, words) => html`
<p>${words.say('seen.text', { time: words.duration(findSecondsLeft(checkout)) })}</p>
${renderProgress(checkout, words)}
<p>${words.say('seen.done')}</p>
${facts(checkout, words)}`,

  deciding: (checkout, words) => html`
<p>${words.say('deciding.text')}</p>
${renderProgress(checkout, words)}
<p class="warning">${words.say('sent.notLost')}</p>
<p>${words.say('deciding.notSent')}</p>
${facts(checkout, words)}`,

  unavailable: (checkout, words) => html`
<p>${words.say('unavailable.text')}</p>
<p class="warning">${words.say('sent.notLost')}</p>
${checkout.progress.length > 0 ? html`<p>${words.say('unavailable.seen')}</p>` : null}
${facts(checkout, words)}`,

  paid: (checkout, words) => html`
${excess(checkout, words)}
<p>${words.say('paid.text')} ${renderCustody(checkout, words)}</p>
${facts(checkout, words)}`,

  underpaid: (checkout, words) => html`
<p>${words.say('underpaid.text')}</p>
<p>${words.say('underpaid.contact')}</p>
${renderAlsoSeen(checkout, words)}
${facts(checkout, words)}`,

  expired: (checkout, words) => html`
<p>${words.say('expired.text')}</p>
<p class="warning">${words.say('expired.sent')}</p>
${renderAlsoSeen(checkout, words)}
${facts(checkout, words)}`,

  late: (checkout, words) => html`
<p>${words.say('expired.sent')}</p>
${renderAlsoSeen(checkout, words)}
${facts(checkout, words)}`,
}

/** Expected time until every shown transfer is confirmed. */
function findSecondsLeft({ seenTransfers }: Checkout): number {
  return Math.max(0, ...seenTransfers.map(({ secondsLeft }) => secondsLeft))
}

function excess({ isOverpaid, excess: amount, currency }: Checkout, words: Translator): Html | null {
  if (!isOverpaid || amount === null) return null
  return html`<p class="warning">${words.say('paid.excess', { excess: words.dollars(amount, currency) })}</p>`
}

function renderAlsoSeen({ progress: transfers }: Checkout, words: Translator): Html | null {
  return transfers.length === 0 ? null : html`<p>${words.say('also.seen')}</p>`
}

function renderCustody({ isEscrow, escrowEnd }: Checkout, words: Translator): Html {
  if (!isEscrow) return words.say('paid.thanks')
  return words.say(escrowEnd === null ? 'paid.held' : `paid.${escrowEnd}`)
}

/** Facts about the payment, shown on every screen that does not request money. */
function facts(checkout: Checkout, words: Translator): Html {
  const { amount, amountReceived, seen, currency, paidWith, environment, confirmedAt } = checkout
  const pairs = [...new Set(paidWith.map((pair) => words.pair(pair, environment)))]
  const say = (phrase: Parameters<Translator['say']>[0]) => words.say(phrase)
  return html`<h2>${say('facts.title')}</h2>
<dl>
<dt>${say('facts.asked')}</dt><dd>${words.dollars(amount, currency)}</dd>
${amountReceived === null ? null : html`<dt>${say('facts.arrived')}</dt><dd>${words.dollars(amountReceived, currency)}</dd>`}
${seen === null ? null : html`<dt>${say('facts.seen')}</dt><dd>${words.dollars(seen, currency)}</dd>`}
${pairs.length === 0 ? null : html`<dt>${say('facts.with')}</dt><dd>${pairs.join(', ')}</dd>`}
${confirmedAt === null ? null : html`<dt>${say('facts.completed')}</dt><dd>${words.moment(confirmedAt)}</dd>`}
${transaction(checkout, words)}
${renderRefused(checkout, words)}
</dl>`
}

function transaction({ txHash, txUrl }: Checkout, words: Translator): Html | null {
  if (txHash === null) return null
  const shown =
    txUrl === null ? html`<code>${txHash}</code>` : html`<a ${outboundLink(txUrl)}><code>${txHash}</code></a>`
  return html`<dt>${words.say('facts.transaction')}</dt><dd>${shown}</dd>`
}
