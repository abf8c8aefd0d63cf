import { type Html, html } from '../../shared/runtime/html.ts'
import type { Checkout } from './project.ts'
import type { Translator } from './translate.ts'

/** Renders a line and a bar per network: the confirmations of the oldest transfer that is not credited yet. */
export function renderProgress(checkout: Checkout, words: Translator): Html {
  const rows = checkout.progress.map((transfer) => {
    const { network, blocksSeen: seen, blocksRequired: required } = transfer
    const label = words.plain('seen.label', { network: words.network(network, checkout.environment) })
    return html`${renderCount(transfer, checkout, words)}
<progress value="${seen}" max="${required}" aria-label="${label}">${seen}/${required}</progress>`
  })
  return html`${rows}`
}

/** Renders the lines of `renderProgress` without the bars. */
export function renderCounts(checkout: Checkout, words: Translator): Html {
  return html`${checkout.progress.map((transfer) => renderCount(transfer, checkout, words))}`
}

/**
 * Renders a part of the amount as a bar. Screen readers skip the bar, because the text next to it states both amounts.
 */
export function renderShare(part: string, amount: string): Html {
  return html`<progress value="${part}" max="${amount}" aria-hidden="true"></progress>`
}

function renderCount(
  { network, blocksSeen: seen, blocksRequired: required }: Checkout['progress'][number],
  { environment }: Checkout,
  words: Translator,
): Html {
  // Without `bdi`, right-to-left text would place the first number before the network.
  const name = html`<bdi>${words.network(network, environment)}</bdi>`
  return html`<p>${words.say('seen.progress', { network: name, seen, required })}</p>`
}
