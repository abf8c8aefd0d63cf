import { type Html, html } from '../html.ts'
import { type Choice, choiceLink } from './choice.ts'
import type { Checkout } from './project.ts'
import { networkName } from './words.ts'

/**
 * Writes where a payer who has sent something can have the network looked at; `null` where there is nothing to look for.
 *
 * It is a plain form: whoever has paid and sees nothing of it must not depend on a script.
 */
export function renderCheck(checkout: Checkout, choice: Choice): Html | null {
  const { id, isSimulated, networks, environment, status } = checkout
  if (isSimulated || status === 'confirmed') return null
  const isOver = status === 'underpaid' || status === 'expired'
  const options = networks.map(
    (network) => html`<option value="${network}">${networkName(network, environment)}</option>`,
  )
  return html`<details>
<summary>Have you sent it, and this page does not show it?</summary>
<form method="post" action="${id}/check${choiceLink(choice)}">
<p>${isOver ? 'Enter the transaction that your wallet shows.' : 'Have the network looked at now. It helps to enter the transaction that your wallet shows.'}</p>
<p><label for="tx">Transaction hash</label> <input id="tx" name="txHash" autocomplete="off" spellcheck="false" maxlength="80"></p>
<p><label for="on">Network</label> <select id="on" name="network">${options}</select></p>
<p><button>Look now</button></p>
</form>
</details>`
}

/** Writes how the check went that this page was asked for; `null` if it was asked for none. */
export function renderCheckNotice(query: URLSearchParams): Html | null {
  const text = NOTICES[query.get('check') ?? '']
  return text === undefined ? null : html`<p class="warning" role="status">${text}</p>`
}

const NOTICES: Readonly<Record<string, string>> = {
  done: 'The network was looked at just now. This page shows what was found.',
  soon: 'The network is being looked at already, or was a moment ago. Please try again in 10 seconds.',
  invalid:
    'That is not the hash of a transaction on a network of this payment. It is 64 letters a to f and digits, often with 0x before them.',
  failed: 'The network could not be asked. What you have sent is not lost; please try again in a minute.',
}
