import { type Html, html } from '../../shared/runtime/html.ts'
import type { Checkout } from './project.ts'
import { describeTransfer, renderFullHash } from './render-transfer.ts'
import type { Translator } from './translate.ts'

/** Renders one row for each listed transfer on a pair that the charge does not accept. */
export function renderRefused(checkout: Checkout, words: Translator): Html {
  const lines = checkout.refusedTransfers.map(
    (transfer) =>
      html`<div><dt>${words.say('facts.refused')}</dt><dd>${describeTransfer(checkout, transfer, words)}<br>${renderFullHash(transfer)}</dd></div>`,
  )
  return html`${lines}`
}
