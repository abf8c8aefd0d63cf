import { type Html, html } from '../../shared/runtime/html.ts'
import { type Icon, renderIcon } from './icons.ts'
import type { Payable, PaymentAt } from './payment-at.ts'
import { type Choice, choiceLink, WAYS, type Way } from './payment-choice.ts'
import type { Checkout } from './project.ts'
import { renderExchange } from './render-exchange.ts'
import { renderPairs } from './render-pairs.ts'
import { renderShare } from './render-progress.ts'
import { renderRefused } from './render-refused.ts'
import { renderScan } from './render-scan.ts'
import { renderSeenPart } from './render-seen-part.ts'
import { renderNote } from './render-state.ts'
import { renderWallets } from './render-wallets.ts'
import type { Translator } from './translate.ts'

const WAY_ICONS: Readonly<Record<Way, Icon>> = { wallet: 'wallet', scan: 'scan', exchange: 'exchange' }

const RENDER_WAY: Readonly<Record<Way, (checkout: Payable, at: PaymentAt) => Html>> = {
  wallet: renderWallets,
  scan: renderScan,
  exchange: renderExchange,
}

/**
 * Renders how to pay the amount due: the pair, the chosen way, and its instructions.
 *
 * Everything that requests money is inside `#how`, which the page's script hides while a payment sent from the page is
 * pending.
 *
 * Only the summary shows the time of the deadline. The script converts that time to the payer's time zone, and a
 * shorter time in a paragraph here would move everything below it.
 */
export function renderPayment(checkout: Payable, at: PaymentAt): Html {
  const { words, choice, now } = at
  const { expiresAt } = checkout
  const left = html`<span data-left>${words.timeLeft(expiresAt, now)}</span>`
  return html`${renderReceived(checkout, words)}${renderSeenPart(checkout, words)}
<div id="sent"></div>
<div id="how">
${renderPaused(checkout, at)}${renderPairs(checkout, at)}
${renderWays(choice, words)}
${RENDER_WAY[choice.way](checkout, at)}
<p class="hint">${words.say('pay.deadline', { left })}</p>
</div>
${checkout.refusedTransfers.length === 0 ? null : html`<dl class="facts">${renderRefused(checkout, words)}</dl>`}`
}

/**
 * Renders a warning about the unavailable pairs; if the payer has chosen one of these pairs, only about that pair. The
 * warning also names the pair that the page shows instead.
 *
 * A payment with an unavailable pair might not be seen yet, so the text warns against a second payment.
 */
function renderPaused(checkout: Payable, { choice, payment, words }: PaymentAt): Html | null {
  const { unavailablePayments, environment } = checkout
  const { wanted } = choice
  if (unavailablePayments.length === 0) return null
  const chosen = unavailablePayments.filter(
    ({ token, network }) => token === wanted?.token && network === wanted.network,
  )
  const closed = chosen.length > 0 ? chosen : unavailablePayments
  const pair = closed.map((each) => words.pair(each, environment)).join(', ')
  const other = words.pair(payment, environment)
  return renderNote(html`${words.say('pay.paused', { pair, other })} ${words.say('pay.pausedSent')}`, 'warn')
}

function renderReceived({ amount, amountReceived, currency }: Checkout, words: Translator): Html | null {
  if (amountReceived === null) return null
  const values = {
    received: words.dollars(amountReceived, currency),
    amount: words.dollars(amount, currency),
  }
  return html`<div class="part">${renderShare(amountReceived, amount)}<p>${words.say('pay.received', values)}</p></div>`
}

function renderWays(choice: Choice, words: Translator): Html {
  const links = WAYS.map((way) => {
    const isCurrent = way === choice.way
    return html`<a href="${choiceLink({ ...choice, way })}"${isCurrent ? html` aria-current="true"` : null}>${renderIcon(WAY_ICONS[way])}<span>${words.say(`way.${way}`)}</span></a>`
  })
  return html`<nav class="tabs" aria-label="${words.plain('pay.choose')}">${links}</nav>`
}
