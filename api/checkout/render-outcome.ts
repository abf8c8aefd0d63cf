import { type Html, html } from '../../shared/runtime/html.ts'
import { renderIcon } from './icons.ts'
import type { Phrase } from './languages.ts'
import { returnLink } from './outbound-link.ts'
import type { Screen } from './page-data.ts'
import { nameOf } from './payee.ts'
import type { Checkout } from './project.ts'
import { renderFacts } from './render-facts.ts'
import { renderProgress, renderShare } from './render-progress.ts'
import { renderNote, renderState, type State } from './render-state.ts'
import { renderSupportButton, renderSupportLink } from './render-support.ts'
import { isAlmostDone, renderTimeline } from './render-timeline.ts'
import type { Translator } from './translate.ts'

export type OutcomeAt = { readonly words: Translator; readonly now: Date }

type Render = (checkout: Checkout, at: OutcomeAt) => Html

/** The content of every screen that does not request money. */
export const OUTCOMES: Readonly<Record<Exclude<Screen, 'pay'>, Render>> = {
  signed: (checkout, { words }) => html`
${renderSubject(checkout, words, { tone: 'busy', icon: 'clock', text: say(words, 'script.signed') })}
${renderFacts(checkout, words)}
${renderEscrow(checkout, words)}`,

  seen: (checkout, { words }) => html`
${renderSubject(checkout, words, { tone: 'busy', icon: 'clock', text: renderWait(checkout, words) })}
${renderTimeline(checkout, words)}
${renderNote(words.say('seen.done'))}
${renderEscrow(checkout, words)}
${renderReturn(checkout, words)}`,

  deciding: (checkout, { words }) => html`
${renderSubject(checkout, words, { tone: 'calm', icon: 'clock', text: say(words, 'deciding.text') })}
${renderProgress(checkout, words)}
${renderNote(words.say('sent.notLost'))}
<p class="hint">${words.say('deciding.notSent')}</p>
${renderFacts(checkout, words)}`,

  unavailable: (checkout, { words }) => html`
${renderSubject(checkout, words, { tone: 'warn', icon: 'pause', text: say(words, 'unavailable.text') })}
${renderNote(words.say('sent.notLost'))}
${checkout.progress.length > 0 ? html`<p class="hint">${words.say('unavailable.seen')}</p>` : null}
${renderFacts(checkout, words)}`,

  paid: (checkout, { words }) => html`
${renderSubject(checkout, words, { tone: 'good', icon: 'check', text: html`<p>${renderCustody(checkout, words)}</p>` })}
${renderExcess(checkout, words)}
${renderFacts(checkout, words)}
${hasExcess(checkout) ? renderSupportButton(checkout, words, { phrase: 'support.refund', amount: findExcess(checkout, words) }) : null}
${renderReturn(checkout, words)}
<button type="button" class="sec scripts" id="print">${renderIcon('print')}<span>${words.say('receipt.print')}</span></button>`,

  underpaid: (checkout, { words }) => html`
${renderSubject(checkout, words, { tone: 'warn', icon: 'warn', text: say(words, 'underpaid.text', shares(checkout, words)) })}
${renderShare(checkout.amountReceived ?? '0', checkout.amount)}
${renderFacts(checkout, words)}
${renderAlsoSeen(checkout, words)}
${renderSupportButton(checkout, words, { phrase: 'support.contact' })}
<p class="hint">${words.say('underpaid.contact', { payee: nameOf(checkout, words) })}</p>
${renderReturn(checkout, words)}`,

  expired: (checkout, { words, now }) => html`
${renderSubject(checkout, words, { tone: 'calm', icon: 'clock', text: say(words, 'expired.text', { time: words.clock(checkout.expiresAt, now) }) })}
${renderNote(renderAlreadySent(checkout, words))}
${renderAlsoSeen(checkout, words)}
${renderSupportButton(checkout, words, { phrase: 'support.newLink' })}
${renderReturn(checkout, words)}
${checkout.amountReceived === null && checkout.amountLate === null ? null : renderFacts(checkout, words)}`,

  late: (checkout, { words }) => html`
${renderSubject(checkout, words, { tone: 'warn', icon: 'clock', text: renderDelay(checkout, words) })}
${renderFacts(checkout, words)}
${renderNote(words.say('late.contact', { payee: nameOf(checkout, words) }))}
${renderAlsoSeen(checkout, words)}
${renderSupportButton(checkout, words, { phrase: 'support.contact' })}
${renderReturn(checkout, words)}`,
}

/** Renders how late the payment came. Renders nothing if the time of no listed transfer is known. */
function renderDelay(checkout: Checkout, words: Translator): Html {
  const delay = findDelay(checkout)
  return delay === null ? html`` : say(words, 'late.text', { time: words.duration(delay) })
}

/**
 * Returns the seconds, at least 1, from the deadline to the block of the earliest listed late transfer; `null` if the
 * time of no block is known.
 */
function findDelay({ lateTransfers, expiresAt }: Checkout): number | null {
  const mined = lateTransfers.flatMap(({ minedAt }) => (minedAt === null ? [] : [Date.parse(minedAt)]))
  return mined.length === 0 ? null : Math.max(1, (Math.min(...mined) - Date.parse(expiresAt)) / 1000)
}

/** Returns the title of a screen that does not request money. */
export function getOutcomeTitle(checkout: Checkout): Phrase {
  const { screen, escrowEnd } = checkout
  if (screen === 'pay') return 'title.pay'
  if (screen === 'signed') return 'script.signedTitle'
  if (screen === 'paid' && escrowEnd === 'refunded') return 'title.refunded'
  return screen === 'seen' && isAlmostDone(checkout) ? 'title.almost' : `title.${screen}`
}

function renderSubject(checkout: Checkout, words: Translator, look: Omit<State, 'title'>): Html {
  return renderState({ ...look, title: words.plain(getOutcomeTitle(checkout)) })
}

function say(words: Translator, ...[phrase, values]: Parameters<Translator['say']>): Html {
  return html`<p>${words.say(phrase, values)}</p>`
}

function renderWait(checkout: Checkout, words: Translator): Html {
  const time = words.duration(findSecondsLeft(checkout))
  return say(words, isAlmostDone(checkout) ? 'seen.left' : 'seen.text', { time })
}

/**
 * Includes a contact link, because the main button asks for a new payment link, which a payer who has already sent the
 * money does not need.
 */
function renderAlreadySent(checkout: Checkout, words: Translator): Html {
  const text = words.say('expired.sent', { payee: nameOf(checkout, words) })
  const link = renderSupportLink(checkout, words, { phrase: 'support.contact', className: '' })
  return html`${text} ${link}`
}

function findSecondsLeft({ seenTransfers }: Checkout): number {
  return Math.max(0, ...seenTransfers.map(({ secondsLeft }) => secondsLeft))
}

function hasExcess({ excess }: Checkout): boolean {
  return excess !== null
}

function findExcess({ excess, currency }: Checkout, words: Translator): string {
  return words.dollars(excess ?? '0', currency)
}

function renderExcess(checkout: Checkout, words: Translator): Html | null {
  if (!hasExcess(checkout)) return null
  const values = { excess: findExcess(checkout, words), payee: nameOf(checkout, words) }
  const text = words.say('paid.excess', values)
  const isPaid = checkout.escrowEnd !== 'refunded'
  return renderNote(isPaid ? html`${text} ${words.say('paid.enough')}` : text, 'warn')
}

function renderAlsoSeen({ progress: transfers }: Checkout, words: Translator): Html | null {
  return transfers.length === 0 ? null : renderNote(words.say('also.seen'))
}

function renderCustody(checkout: Checkout, words: Translator): Html {
  const { isEscrow, escrowEnd } = checkout
  const payee = nameOf(checkout, words)
  if (!isEscrow) return words.say('paid.text', { payee })
  return words.say(escrowEnd === null ? 'paid.held' : `paid.${escrowEnd}`, { payee })
}

function renderEscrow(checkout: Checkout, words: Translator): Html | null {
  if (!checkout.isEscrow) return null
  return html`<p class="hint">${words.say('escrow.note', { payee: nameOf(checkout, words) })}</p>`
}

function shares({ amount, amountReceived, currency }: Checkout, words: Translator) {
  return {
    received: words.dollars(amountReceived ?? '0', currency),
    amount: words.dollars(amount, currency),
  }
}

/**
 * Renders the link back to the merchant, who does not depend on it, because a webhook notifies them. The link is the
 * main button of a receipt, unless the receipt has a button to ask for an excess back.
 */
function renderReturn(checkout: Checkout, words: Translator): Html | null {
  const { redirectUrl, screen } = checkout
  if (redirectUrl === null) return null
  const isMain = screen === 'paid' && !(hasExcess(checkout) && checkout.support !== null)
  const text = words.say('return', { payee: nameOf(checkout, words) })
  return html`<div id="return"><a class="${isMain ? 'btn' : 'btn sec'}" ${returnLink(redirectUrl)}><span>${text}</span></a></div>`
}
