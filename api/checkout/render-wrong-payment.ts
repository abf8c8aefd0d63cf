import { type Html, html } from '../../shared/runtime/html.ts'
import type { Phrase } from './languages.ts'
import { nameOf } from './payee.ts'
import { type Choice, choiceLink } from './payment-choice.ts'
import type { ShownTransfer } from './present-transfer.ts'
import type { Checkout } from './project.ts'
import { renderCoin } from './render-coin.ts'
import { renderState } from './render-state.ts'
import { renderSupportButton } from './render-support.ts'
import { describeTransfer, renderHash } from './render-transfer.ts'
import type { Translator } from './translate.ts'

type Wrong = Checkout & { readonly wrongPayment: ShownTransfer }

/**
 * Returns the charge with the refused transfer that the page must show before the payer pays; `null` if there is none,
 * or if the payer has chosen to pay with an accepted pair after all.
 */
export function findShownWrongPayment(checkout: Checkout, { isInstead }: Choice): Wrong | null {
  const { wrongPayment } = checkout
  return wrongPayment === null || isInstead ? null : { ...checkout, wrongPayment }
}

/** Chooses the title by the mistake: another token on an accepted network, or another network. */
export function chooseWrongTitle({ wrongPayment, networks }: Wrong): Phrase {
  return networks.includes(wrongPayment.network) ? 'title.wrongToken' : 'title.wrongNetwork'
}

/**
 * Renders a transfer that does not count, and the payer's options: contact the merchant, or pay with an accepted pair.
 */
export function renderWrongPayment(
  checkout: Wrong,
  { choice, words }: { readonly choice: Choice; readonly words: Translator },
): Html {
  const { wrongPayment, howToPay, environment } = checkout
  const pairs = (howToPay?.payments ?? []).map((pair) => words.pair(pair, environment)).join(', ')
  const sent = describeTransfer(checkout, wrongPayment, words)
  const title = words.plain(chooseWrongTitle(checkout))
  const text = html`<p>${words.say('wrong.text', { pairs })}</p>`
  return html`<div id="sent"></div>
<div id="how">
${renderState({ tone: 'warn', icon: 'warn', title, text })}
<div class="pairing"><div class="method warn">${renderCoin(wrongPayment)}<span><small>${words.say('facts.refused')}</small><b>${sent}</b><small>${words.say('facts.transaction')} ${renderHash(wrongPayment)}</small></span></div></div>
<p class="hint">${words.say('wrong.contact', { payee: nameOf(checkout, words) })}</p>
${renderSupportButton(checkout, words, { phrase: 'support.refund', amount: `${words.number(wrongPayment.amount)} ${wrongPayment.token}` })}
${renderPayAgain(checkout, { choice, words })}
</div>`
}

/** Renders the link that requests another payment, with the pair that the linked page shows. */
function renderPayAgain(
  { environment }: Wrong,
  { choice, words }: { readonly choice: Choice; readonly words: Translator },
): Html | null {
  const { payment } = choice
  if (payment === null) return null
  const amount = `${words.number(payment.amount)} ${words.pair(payment, environment)}`
  const link = choiceLink({ ...choice, wanted: payment, isInstead: true })
  return html`<p class="hint">${words.say('wrong.another')}</p>
<a class="btn sec" href="${link}">${words.say('wrong.pay', { amount })}</a>`
}
