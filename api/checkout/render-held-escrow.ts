import type { EscrowAction } from '../../shared/domain/escrow-action.ts'
import { type Html, html } from '../../shared/runtime/html.ts'
import type { EscrowPageAt } from './escrow-page-at.ts'
import { nameOf } from './payee.ts'
import { renderNote } from './render-state.ts'
import { renderAddress } from './render-transfer-details.ts'
import { capitalize } from './translate.ts'
import type { EscrowShare, HeldEscrow } from './view-escrow.ts'

/**
 * Renders both orders of a held escrow with all amounts and addresses in full. The script fills the elements with
 * `data-action` with the wallets of this browser, and hides what is needed to sign once there are any.
 */
export function renderHeldEscrow(escrow: HeldEscrow, at: EscrowPageAt): Html {
  const { words } = at
  return html`${renderNote(words.say('escrow.compare'), 'warn')}
<div id="need">${renderNote(words.say('escrow.need'))}</div>
<div id="wallet">${renderRelease(escrow, at)}${renderRefund(escrow, at)}</div>`
}

function renderRelease(escrow: HeldEscrow, at: EscrowPageAt): Html {
  const { words, checkout } = at
  const { token } = escrow.pair
  const { destination } = escrow.orders.release
  const amount = `${words.number(escrow.amount)} ${token}`
  const shares = escrow.shares.map((share) =>
    renderRow(html`${words.number(share.amount)} ${token}${renderRole(share, at)}`, share.address),
  )
  return html`<section class="line"><h2>${words.say('escrow.release', { payee: nameOf(checkout, words) })}</h2>
<dl class="rows">${shares}${renderRow(words.say('escrow.split', { amount }), destination)}</dl>
${renderButtons('release')}</section>`
}

/** A recipient has no name here, because the merchant's labels are private. */
function renderRole({ to }: EscrowShare, { words, checkout }: EscrowPageAt): Html | null {
  if (to === 'recipient') return null
  const name = to === 'fee' ? words.say('escrow.fee') : nameOf(checkout, words)
  return html` · ${typeof name === 'string' ? capitalize(name) : name}`
}

function renderRefund(escrow: HeldEscrow, { words }: EscrowPageAt): Html {
  const amount = html`${words.number(escrow.amount)} ${escrow.pair.token}`
  return html`<section class="line"><h2>${words.say('escrow.refund')}</h2>
<dl class="rows">${renderRow(amount, escrow.orders.refund.destination)}</dl>
<p class="hint">${words.say('escrow.sender')}</p>
${renderButtons('refund')}</section>`
}

function renderButtons(action: EscrowAction): Html {
  return html`<div data-action="${action}"></div>`
}

function renderRow(term: Html, address: string): Html {
  return html`<div><dt>${term}</dt><dd>${renderAddress(address, '')}</dd></div>`
}
