import { type Html, html } from '../http/html.ts'
import type { Checkout } from './project.ts'
import type { Translator } from './translate.ts'

/** Renders the confirmations of the transfers that are on their way, one line for each network. */
export function renderProgress({ progress: transfers, environment }: Checkout, words: Translator): Html {
  const rows = transfers.map(({ network: on, blocksSeen: seen, blocksRequired: required }) => {
    const network = words.network(on, environment)
    const label = words.plain('seen.label', { network })
    // Without it, right-to-left text would place the first number before the network.
    const name = html`<bdi>${network}</bdi>`
    return html`<p>${words.say('seen.progress', { network: name, seen, required })}</p>
<progress value="${seen}" max="${required}" aria-label="${label}">${seen}/${required}</progress>`
  })
  return html`${rows}`
}
