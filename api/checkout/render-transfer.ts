import { type Html, html } from '../../shared/runtime/html.ts'
import { outboundLink } from './outbound-link.ts'
import type { ShownTransfer } from './present-transfer.ts'
import type { Checkout } from './project.ts'
import type { Translator } from './translate.ts'

/** Returns the amount and the pair of a transfer, such as "49.90 USDT on Base". */
export function describeTransfer(
  { environment }: Pick<Checkout, 'environment'>,
  { amount, ...pair }: ShownTransfer,
  words: Translator,
): string {
  return `${words.number(amount)} ${words.pair(pair, environment)}`
}

type Hashed = Pick<ShownTransfer, 'txHash' | 'txUrl'>

/** Renders a transaction hash, linked to an explorer if one shows the transaction. */
export function renderFullHash({ txHash, txUrl }: Hashed): Html {
  return link(txUrl, html`<code>${txHash}</code>`)
}

/** Renders the first 6 and last 4 characters of a transaction hash, linked as in `renderFullHash`. */
export function renderHash({ txHash, txUrl }: Hashed): Html {
  return link(txUrl, html`<code>${txHash.slice(0, 6)}…${txHash.slice(-4)}</code>`)
}

function link(url: string | null, text: Html): Html {
  return url === null ? text : html`<a ${outboundLink(url)}>${text}</a>`
}
