import { type Html, html } from '../http/html.ts'
import type { Checkout } from './project.ts'
import { renderProgress } from './render-progress.ts'
import { renderHash } from './render-transfer.ts'
import type { Translator } from './translate.ts'

/** Renders the part that is on its way. A payer who has sent it must see it here, or they would send it again. */
export function renderSeenPart(checkout: Checkout, words: Translator): Html | null {
  const { seen, remainingAfterSeen, currency, seenTransfers } = checkout
  if (seen === null) return null
  const values = {
    sent: words.dollars(seen, currency),
    remaining: words.dollars(remainingAfterSeen ?? '0', currency),
  }
  const hashes = seenTransfers.map((transfer) => html`<p>${renderHash(transfer)}</p>`)
  return html`<div class="part"><p>${words.say('seen.part', values)}</p>${renderProgress(checkout, words)}${hashes}</div>`
}
