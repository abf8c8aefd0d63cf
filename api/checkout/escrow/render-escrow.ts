import { checksum } from '../../../shared/domain/address.ts'
import { type Html, html } from '../../../shared/runtime/html.ts'
import { renderFrame } from '../frame.ts'
import { nameOf, nameText } from '../payee.ts'
import { parseChoice } from '../payment-choice.ts'
import type { Checkout } from '../project.ts'
import { renderFooter } from '../render-footer.ts'
import { renderState, type State } from '../render-state.ts'
import { renderSummary } from '../render-summary.ts'
import type { EscrowPageAt } from './escrow-page-at.ts'
import { buildEscrowPageData } from './escrow-page-data.ts'
import { renderHeldEscrow } from './render-held-escrow.ts'
import type { EscrowView } from './view-escrow.ts'

/**
 * Reload interval in all states other than `held` and `ended`, because these states can change without any action here.
 */
const REFRESH_SECONDS = 20

/**
 * Renders the page on which the releaser of an escrow signs an order to release or refund its money. While the money is
 * held, the page shows the effects of both orders, and requests a signature only after a click. Without a script it
 * shows the same content without buttons.
 */
export function renderEscrow(view: EscrowView, at: EscrowPageAt): string {
  const { query } = at
  const checkout = raiseLogo(at.checkout)
  const choice = parseChoice(query, [])
  const reloadSeconds = view.state === 'held' || view.state === 'ended' ? null : REFRESH_SECONDS
  const state = describe(view, at)
  return renderFrame({
    ...at,
    title: state.title,
    brand: checkout.brand,
    header: renderSummary(checkout, { ...at, choice, isSubject: false }),
    main: html`${renderState(state)}${view.state === 'held' ? renderHeldEscrow(view, at) : null}`,
    data: JSON.stringify(buildEscrowPageData(view, at)),
    footer: renderFooter(checkout, { ...at, choice, reloadSeconds, hasContact: true }),
    refreshSeconds: choice.isLive ? reloadSeconds : null,
  })
}

/** Adapts the logo's path, which is relative to the page of the charge. This page is one level below. */
function raiseLogo(checkout: Checkout): Checkout {
  const { brand } = checkout
  return brand?.logo ? { ...checkout, brand: { ...brand, logo: `../${brand.logo}` } } : checkout
}

function describe(view: EscrowView, at: EscrowPageAt): State {
  const { words, checkout } = at
  switch (view.state) {
    case 'held': {
      const amount = `${words.number(view.amount)} ${words.pair(view.pair, checkout.environment)}`
      return {
        tone: 'busy',
        icon: 'pause',
        title: words.plain('escrow.held', { amount }),
        text: renderOnly(at),
      }
    }
    case 'ordered':
      return {
        ...{ tone: 'busy', icon: 'clock', title: words.plain('script.signedTitle') },
        text: html`<p>${describeAction(view.action, at)}</p>`,
      }
    case 'ended': {
      const title =
        view.action === 'release'
          ? words.plain('paid.released', { payee: nameText(checkout, words) })
          : words.plain('paid.refunded')
      return { tone: 'good', icon: 'check', title, text: html`` }
    }
    case 'empty':
      return { tone: 'calm', icon: 'info', title: words.plain('escrow.empty'), text: renderOnly(at) }
    case 'blocked':
      return { tone: 'warn', icon: 'warn', title: words.plain('escrow.blocked'), text: renderOnly(at) }
    case 'unread':
      return { tone: 'warn', icon: 'warn', title: words.plain('check.failed'), text: renderOnly(at) }
  }
}

function describeAction(action: 'release' | 'refund', { words, checkout }: EscrowPageAt): Html {
  return action === 'release'
    ? words.say('escrow.release', { payee: nameOf(checkout, words) })
    : words.say('escrow.refund')
}

function renderOnly({ words, releaserAddress }: EscrowPageAt): Html {
  return html`<p>${words.say('escrow.only', { address: html`<code>${checksum(releaserAddress)}</code>` })}</p>`
}
