import { type Html, html } from '../html.ts'
import type { Screen } from './choose-screen.ts'
import type { Checkout } from './project.ts'
import { dollars, moment, networkName } from './words.ts'

/** What a page says where nobody is asked for money. */
export const OUTCOMES: Readonly<Record<Exclude<Screen, 'pay'>, (checkout: Checkout) => Html>> = {
  seen: (checkout) => html`
<p>Your payment was seen on the network and is being confirmed. <strong>There is nothing more to do now</strong>; you can close this page.</p>
${progress(checkout)}
<p>Should it be less than asked for, this page says how much remains as soon as it is confirmed. Until then do not send anything.</p>
${facts(checkout)}`,

  deciding: (checkout) => html`
<p>The time to pay is over, and the network is being looked at for what was sent in time. This takes a few minutes at most.</p>
${SENT_ALREADY}
<p>Have you not sent it? Then do not send it now.</p>
${facts(checkout)}`,

  unavailable: (checkout) => html`
<p>Payments cannot be followed at the moment, so please do not send anything now. This page goes on by itself when they can.</p>
${SENT_ALREADY}
${checkout.progress.length > 0 ? html`<p>A payment to this address was seen on the network already.</p>` : null}
${facts(checkout)}`,

  paid: (checkout) => html`
${checkout.isOverpaid && checkout.excess !== null ? html`<p class="warning"><strong>${dollars(checkout.excess, checkout.currency)} more than asked for has arrived.</strong> It is not sent back by itself: please contact the merchant.</p>` : null}
<p>The payment is complete. ${custody(checkout)}</p>
${facts(checkout)}`,

  underpaid: (checkout) => html`
<p>The time to pay is over and less than asked for has arrived. <strong>Do not send the rest</strong>: it no longer completes this payment.</p>
<p>Please contact the merchant, who sees what you have sent and decides what becomes of it.</p>
${alsoSeen(checkout)}
${facts(checkout)}`,

  expired: (checkout) => html`
<p>The time to pay is over and nothing arrived in it. Please do not send anything to this payment's address any more.</p>
<p class="warning">Have you sent it already? Then <strong>do not send it again</strong>. What comes late is recorded and reaches the merchant, who decides what becomes of it: please contact them.</p>
${alsoSeen(checkout)}
${facts(checkout)}`,
}

const SENT_ALREADY = html`<p class="warning">Have you sent it already? Then <strong>do not send it again</strong>: it is not lost.</p>`

function progress({ progress: transfers, environment }: Checkout): Html {
  const rows = transfers.map(({ network, blocksSeen, blocksRequired }) => {
    const name = networkName(network, environment)
    return html`<p>${name}: ${blocksSeen} of ${blocksRequired} confirmations
<progress value="${blocksSeen}" max="${blocksRequired}" aria-label="Confirmations on ${name}">${blocksSeen} of ${blocksRequired}</progress></p>`
  })
  return html`${rows}`
}

function alsoSeen({ progress: transfers }: Checkout): Html | null {
  return transfers.length === 0 ? null : html`<p>A payment was seen since and is being confirmed.</p>`
}

function custody({ isEscrow, escrowEnd }: Checkout): string {
  if (!isEscrow) return 'Thank you.'
  if (escrowEnd === 'released') return 'It was held in escrow and has been released to the merchant.'
  if (escrowEnd === 'refunded') return 'It was held in escrow and has been refunded.'
  return 'It is held in escrow until it is released to the merchant or refunded.'
}

/** What is true of the payment on every such page; it asks for nothing. */
function facts(checkout: Checkout): Html {
  const { amount, amountReceived, currency, paidWith, environment, confirmedAt } = checkout
  const networks = [
    ...new Set(paidWith.map(({ token, network }) => `${token} on ${networkName(network, environment)}`)),
  ]
  return html`<h2>This payment</h2>
<dl>
<dt>Asked for</dt><dd>${dollars(amount, currency)}</dd>
${amountReceived === null ? null : html`<dt>Arrived and confirmed</dt><dd>${dollars(amountReceived, currency)}</dd>`}
${networks.length === 0 ? null : html`<dt>Paid with</dt><dd>${networks.join(', ')}</dd>`}
${confirmedAt === null ? null : html`<dt>Completed</dt><dd>${moment(confirmedAt)}</dd>`}
${transaction(checkout)}
</dl>`
}

function transaction({ txHash, txUrl }: Checkout): Html | null {
  if (txHash === null) return null
  const shown =
    txUrl === null ? html`<code>${txHash}</code>` : html`<a href="${txUrl}" rel="noreferrer">${txHash}</a>`
  return html`<dt>Most recent transaction</dt><dd>${shown}</dd>`
}
