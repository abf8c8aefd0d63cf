import { type Html, html } from '../../../shared/runtime/html.ts'
import { nameOf } from '../payee.ts'
import { choiceLink } from '../payment-choice.ts'
import { renderNote } from '../render-state.ts'
import { renderAddress } from '../render-transfer-details.ts'
import type { ClaimAt, ClaimStep } from './claim-at.ts'

/**
 * Renders the page on which the payer checks the whole refund address before submitting it. If the claim can be signed,
 * the script fills `#wallet` with a button per wallet, and the hidden fields with a signature and its signer.
 */
export function renderReview(
  at: ClaimAt,
  { address, typedData }: Extract<ClaimStep, { name: 'review' }>,
): Html {
  const { refund, checkout, words, choice } = at
  const payee = nameOf(checkout, words)
  const proof = html`<section id="proof" hidden><p class="hint">${words.say('claim.proveText', { payee })}</p><div id="wallet"></div></section>
<input type="hidden" name="signer"><input type="hidden" name="signature">`
  return html`<div class="state calm"><h1>${words.say('claim.check')}</h1></div>
<dl class="rows"><div><dt>${words.say('claim.label', { network: words.network(refund.network, checkout.environment) })}</dt><dd>${renderAddress(address, '')}</dd></div></dl>
${renderNote(words.say('claim.compare'), 'warn')}
<form method="post" action="${choiceLink(choice)}" id="claim">
<input type="hidden" name="address" value="${address}">
<input type="hidden" name="step" value="send">
${typedData === null ? null : proof}
<button>${words.say('claim.send')}</button>
<a class="btn sec" href="${choiceLink(choice)}">${words.say('claim.change')}</a>
</form>`
}
