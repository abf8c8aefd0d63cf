import { type Html, html } from '../../shared/runtime/html.ts'
import type { Checkout } from './project.ts'
import { renderCounts, renderShare } from './render-progress.ts'
import { renderHash } from './render-transfer.ts'
import type { Translator } from './translate.ts'

/** Renders the part of the amount that was seen and is not credited yet, so that the payer does not send it again. */
export function renderSeenPart(checkout: Checkout, words: Translator): Html | null {
  const { seen, amount, amountReceived, remainingAfterSeen, currency, seenTransfers } = checkout
  if (seen === null) return null
  const values = {
    sent: words.number(seen),
    amount: words.dollars(amount, currency),
    remaining: words.dollars(remainingAfterSeen ?? '0', currency),
  }
  const hashes = seenTransfers.map(
    (transfer) => html`<p>${words.say('facts.transaction')} ${renderHash(transfer)}</p>`,
  )
  // `renderPayment` already shows a bar if a part was received.
  const bar = amountReceived === null ? renderShare(seen, amount) : null
  return html`<div class="part">${bar}<p>${words.say('seen.part', values)}</p>
<p>${words.say('seen.restSent')}</p>${renderCounts(checkout, words)}${hashes}</div>`
}
