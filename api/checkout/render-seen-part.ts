import { type Html, html } from '../../shared/runtime/html.ts'
import type { Checkout } from './project.ts'
import { renderCounts, renderShare } from './render-progress.ts'
import { renderHash } from './render-transfer.ts'
import type { Translator } from './translate.ts'

/**
 * Renders the part of the amount that has been seen but not yet credited, so that the payer does not send it again.
 * Returns `null` if there is none.
 */
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
  // If a part has already been credited (`amountReceived`), `renderPayment` shows a bar for it.
  const bar = amountReceived === null ? renderShare(seen, amount) : null
  return html`<div class="part">${bar}<p>${words.say('seen.part', values)}</p>
<p>${words.say('seen.restSent')}</p>${renderCounts(checkout, words)}${hashes}</div>`
}
