import type { EscrowAction } from '../../../shared/domain/escrow-action.ts'
import { type Html, html } from '../../../shared/runtime/html.ts'
import { renderIcon } from '../icons.ts'
import { nameOf } from '../payee.ts'
import { renderNote } from '../render-state.ts'
import { renderAddress } from '../render-transfer-details.ts'
import { capitalize } from '../translate.ts'
import type { EscrowPageAt } from './escrow-page-at.ts'
import type { EscrowShare, HeldEscrow } from './view-escrow.ts'

/**
 * Renders the possible orders of a held escrow with all amounts and addresses in full. The script adds buttons for the
 * wallets of this browser to the elements with `data-action`. Once it finds a wallet, it removes `#need`, the note
 * about the requirements for signing.
 */
export function renderHeldEscrow(escrow: HeldEscrow, at: EscrowPageAt): Html {
  const { words } = at
  return html`${renderNote(words.say('escrow.compare'), 'warn')}
<div id="need">${renderNote(words.say('escrow.need'))}</div>
<div id="wallet">${renderRelease(escrow, at)}${renderRefund(escrow, at)}</div>
${renderContracts(escrow, at)}`
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

/**
 * Renders the role of an address: the merchant or the service's fee. Recipients get no label, because the merchant's
 * labels are private.
 */
function renderRole({ to }: EscrowShare, { words, checkout }: EscrowPageAt): Html | null {
  if (to === 'recipient') return null
  const name = to === 'fee' ? words.say('escrow.fee') : nameOf(checkout, words)
  return html` · ${typeof name === 'string' ? capitalize(name) : name}`
}

/**
 * Renders the refund, or nothing while none is possible. Its destination is the sender of the last payment, who might
 * be a stranger. So the page shows that payment, and warns if it is only a part of the balance.
 */
function renderRefund(escrow: HeldEscrow, { words }: EscrowPageAt): Html | null {
  const { refund } = escrow.orders
  if (refund === null) return null
  const { token } = escrow.pair
  const { amount: part, at, txHash, isPart } = escrow.lastPayment
  const held = `${words.number(escrow.amount)} ${token}`
  const amount = `${words.number(part)} ${token}`
  return html`<section class="line"><h2>${words.say('escrow.refund')}</h2>
<dl class="rows">${renderRow(html`${held}`, refund.destination)}${
    txHash === null ? null : renderRow(words.say('facts.transaction'), txHash)
  }</dl>
<p class="hint">${words.say('escrow.sender', { amount, time: words.moment(at) })}</p>
${isPart ? renderNote(words.say('escrow.senderPart', { amount, held }), 'warn') : null}
${renderButtons('refund')}</section>`
}

/** Renders the other values to which the signature commits: the Safe, the chain and the token. */
function renderContracts({ pair, chainId: id, orders }: HeldEscrow, { words, checkout }: EscrowPageAt): Html {
  const network = words.network(pair.network, checkout.environment)
  const { safeAddress, tokenAddress } = orders.release
  return html`<details class="fold"><summary>${words.say('pay.details')} ${renderIcon('down')}</summary>
<dl class="rows">${renderRow(words.say('escrow.safe'), safeAddress)}
<div><dt>${words.say('pay.network')}</dt><dd>${words.say('pay.chain', { network, id })}</dd></div>
${renderRow(html`${pair.token}`, tokenAddress)}</dl></details>`
}

function renderButtons(action: EscrowAction): Html {
  return html`<div data-action="${action}"></div>`
}

function renderRow(term: Html, address: string): Html {
  return html`<div><dt>${term}</dt><dd>${renderAddress(address, '')}</dd></div>`
}
