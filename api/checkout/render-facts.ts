import { type Html, html } from '../../shared/runtime/html.ts'
import type { Phrase } from './languages.ts'
import type { Checkout } from './project.ts'
import { renderRefused } from './render-refused.ts'
import { renderFullHash } from './render-transfer.ts'
import type { Translator } from './translate.ts'

/** Renders the payment details: the receipt of a paid charge, otherwise the details so far. */
export function renderFacts(checkout: Checkout, words: Translator): Html {
  const {
    amount,
    amountReceived,
    amountLate,
    amountOnTime,
    seen,
    currency,
    environment,
    confirmedAt,
    screen,
    txHash,
    txUrl,
  } = checkout
  const pairs = [...new Set(checkout.paidWith.map((pair) => words.pair(pair, environment)))]
  const dollars = (exact: string | null) => exact && words.dollars(exact, currency)
  const row = (phrase: Phrase, value: Html | string | null) =>
    value && html`<div><dt>${words.say(phrase)}</dt><dd>${value}</dd></div>`
  const isAllLate = amountLate !== null && amountOnTime === null
  const date = confirmedAt ?? (isAllLate ? (checkout.lateTransfers[0]?.minedAt ?? null) : null)
  const title = screen === 'paid' ? 'facts.receipt' : 'facts.title'
  return html`<h2 class="unseen">${words.say(title)}</h2>
<dl class="facts">
${row('facts.asked', dollars(amount))}
${isAllLate ? null : row('facts.arrived', dollars(amountReceived))}
${row('facts.late', dollars(amountLate))}
${row('facts.seen', dollars(seen))}
${row('facts.with', pairs.join(', ') || null)}
${row('facts.completed', date && words.moment(date))}
${row('facts.transaction', txHash && renderFullHash({ txHash, txUrl }))}
${renderRefused(checkout, words)}
</dl>`
}
