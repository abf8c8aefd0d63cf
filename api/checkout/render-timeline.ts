import { type Html, html } from '../../shared/runtime/html.ts'
import { renderIcon } from './icons.ts'
import { nameOf } from './payee.ts'
import type { Checkout } from './project.ts'
import { renderHash } from './render-transfer.ts'
import type { Translator } from './translate.ts'

/** Renders the steps of a payment: seen, being confirmed, paid. */
export function renderTimeline(checkout: Checkout, words: Translator): Html {
  const { environment, seenTransfers, progress } = checkout
  const networks = [...new Set(progress.map(({ network }) => words.network(network, environment)))].join(', ')
  const transfers = seenTransfers.map(
    (transfer) =>
      html`<small>${words.number(transfer.amount)} ${transfer.token} · ${renderHash(transfer)}</small>`,
  )
  const counts = progress.map(({ network: on, blocksSeen: seen, blocksRequired: required }) => {
    const network = html`<bdi>${words.network(on, environment)}</bdi>`
    return html`<small>${words.say('seen.progress', { network, seen, required })}</small>`
  })
  return html`${renderBar(checkout, words)}
<ol class="line" role="list">
<li class="done"><span class="dot">${renderIcon('check')}</span><div><b>${words.say('seen.step', { network: html`<bdi>${networks}</bdi>` })}</b>${transfers}</div></li>
<li class="now"><span class="dot"></span><div><b>${words.say('status.confirming')}</b>${counts}</div></li>
<li><span class="dot"></span><div><b>${words.say('status.paid')}</b><small>${words.say('seen.told', { payee: nameOf(checkout, words) })}</small></div></li>
</ol>`
}

/** Renders the progress of the transfer with the smallest share of its confirmations. */
function renderBar({ progress, environment }: Checkout, words: Translator): Html | null {
  const [slowest] = [...progress].sort((one, other) => getShare(one) - getShare(other))
  if (slowest === undefined) return null
  const { blocksSeen, blocksRequired } = slowest
  const label = words.plain('seen.label', { network: words.network(slowest.network, environment) })
  return html`<progress value="${blocksSeen}" max="${blocksRequired}" aria-label="${label}">${blocksSeen}/${blocksRequired}</progress>`
}

/**
 * Returns whether every shown transfer has at least half of its confirmations. `progress` contains only the oldest
 * transfer of each network.
 */
export function isAlmostDone({ progress, seenTransfers }: Checkout): boolean {
  return progress.length > 0 && [...progress, ...seenTransfers].every((one) => getShare(one) >= 0.5)
}

type Confirmations = Pick<Checkout['progress'][number], 'blocksSeen' | 'blocksRequired'>

function getShare({ blocksSeen, blocksRequired }: Confirmations): number {
  return blocksSeen / blocksRequired
}
