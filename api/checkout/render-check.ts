import { type Html, html } from '../html.ts'
import { type Choice, choiceLink } from './choice.ts'
import type { Phrase } from './languages.ts'
import type { Checkout } from './project.ts'
import type { Words } from './words.ts'

/**
 * Writes where a payer who has sent something can have the network looked at; `null` where there is nothing to look for.
 *
 * It is a plain form: whoever has paid and sees nothing of it must not depend on a script.
 */
export function renderCheck(checkout: Checkout, choice: Choice, words: Words): Html | null {
  const { id, isSimulated, networks, environment, status } = checkout
  if (isSimulated || status === 'confirmed') return null
  const isOver = status === 'underpaid' || status === 'expired'
  const options = networks.map(
    (network) => html`<option value="${network}">${words.network(network, environment)}</option>`,
  )
  return html`<details id="check">
<summary>${words.say('check.title')}</summary>
<form method="post" action="${id}/check${choiceLink(choice)}">
<p>${words.say(isOver ? 'check.enter' : 'check.look')}</p>
<p><label for="tx">${words.say('check.hash')}</label> <input id="tx" name="txHash" autocomplete="off" spellcheck="false" maxlength="80" dir="ltr"></p>
<p><label for="on">${words.say('pay.network')}</label> <select id="on" name="network">${options}</select></p>
<p><button>${words.say('check.button')}</button></p>
</form>
</details>`
}

/** Writes how the check went that this page was asked for; `null` if it was asked for none. */
export function renderCheckNotice(query: URLSearchParams, words: Words): Html | null {
  const phrase = NOTICES.get(query.get('check'))
  return phrase === undefined ? null : html`<p class="warning" role="status">${words.say(phrase)}</p>`
}

const NOTICES: ReadonlyMap<string | null, Phrase> = new Map([
  ['done', 'check.done'],
  ['soon', 'check.soon'],
  ['invalid', 'check.invalid'],
  ['failed', 'check.failed'],
])
