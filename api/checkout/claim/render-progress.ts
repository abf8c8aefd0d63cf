import type { Hex } from '../../../shared/domain/address.ts'
import {
  presentAddress,
  presentTransactionHash,
} from '../../../shared/domain/chain-families/chain-families.ts'
import type { RefundRecord, RefundStatus } from '../../../shared/domain/refund/refund.ts'
import { type Html, html } from '../../../shared/runtime/html.ts'
import type { Phrase } from '../languages.ts'
import { outboundLink } from '../outbound-link.ts'
import { nameOf, nameText } from '../payee.ts'
import { renderState, type State } from '../render-state.ts'
import { renderAddress } from '../render-transfer-details.ts'
import { explorerLink } from '../transaction-link.ts'
import { capitalize } from '../translate.ts'
import type { ClaimAt } from './claim-at.ts'

type Shown = Pick<State, 'tone' | 'icon'> & { readonly title: Phrase; readonly text: Phrase }

const BUSY = { tone: 'busy', icon: 'clock' } as const
const ENDED = { tone: 'calm', icon: 'info', title: 'claim.ended', text: 'claim.endedText' } as const

const SHOWN: Readonly<Record<Exclude<RefundStatus, 'awaiting_destination'>, Shown>> = {
  awaiting_approval: { ...BUSY, title: 'claim.waiting', text: 'claim.waitingText' },
  awaiting_payment: { ...BUSY, title: 'claim.approved', text: 'claim.approvedText' },
  seen: { ...BUSY, title: 'claim.seen', text: 'claim.seenText' },
  confirmed: { tone: 'good', icon: 'check', title: 'claim.done', text: 'claim.doneText' },
  canceled: ENDED,
  expired: ENDED,
}

/** Renders the progress of the refund: the payer's address and, once seen, the transaction. */
export function renderProgress(at: ClaimAt): Html {
  const { refund, checkout, words } = at
  const { tone, icon, text } = shownOf(refund)
  const payee = nameOf(checkout, words)
  const title = getProgressTitle(at)
  return html`${renderState({ tone, icon, title, text: html`<p>${words.say(text, { payee })}</p>` })}
<dl class="rows">${renderDestination(at)}${refund.txHash === null ? null : renderTransaction(at, refund.txHash)}</dl>`
}

export function getProgressTitle({ refund, checkout, words }: ClaimAt): string {
  const payee = checkout.payee ?? capitalize(nameText(checkout, words))
  return words.plain(shownOf(refund).title, { payee })
}

function shownOf({ status }: RefundRecord): Shown {
  return status === 'awaiting_destination' ? ENDED : SHOWN[status]
}

function renderDestination({ refund, words }: ClaimAt): Html | null {
  const address = refund.destination ?? refund.claim?.destination ?? null
  return (
    address &&
    html`<div><dt>${words.say('pay.address')}</dt><dd>${renderAddress(presentAddress(address, refund.family), '')}</dd></div>`
  )
}

function renderTransaction({ refund, checkout, words }: ClaimAt, txHash: Hex): Html {
  const { network, chainId, family } = refund
  const charge = { environment: checkout.environment, family }
  const url = explorerLink(charge, { network, chainId: chainId ?? undefined, txHash })
  const hash = html`<code data-copy>${presentTransactionHash(txHash, family)}</code>`
  const link = url === null ? hash : html`<a ${outboundLink(url)}>${hash}</a>`
  return html`<div><dt>${words.say('facts.transaction')}</dt><dd>${link}</dd></div>`
}
