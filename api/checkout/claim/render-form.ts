import { type Html, html } from '../../../shared/runtime/html.ts'
import type { Phrase } from '../languages.ts'
import { nameOf } from '../payee.ts'
import { choiceLink } from '../payment-choice.ts'
import { renderNote } from '../render-state.ts'
import type { ClaimAt, ClaimProblem, ClaimStep } from './claim-at.ts'

const PROBLEMS: Readonly<Record<ClaimProblem, Phrase>> = {
  invalid: 'claim.invalid',
  refused: 'claim.refused',
  notProven: 'claim.notProven',
  later: 'claim.later',
}

/** Renders the form for the payer's address. The next page shows the address again before it is recorded. */
export function renderForm(at: ClaimAt, { typed, problem }: Extract<ClaimStep, { name: 'ask' }>): Html {
  const { refund, checkout, words, choice } = at
  const network = words.network(refund.network, checkout.environment)
  const pair = words.pair(refund, checkout.environment)
  return html`<div class="state calm"><h1>${words.say('claim.title')}</h1><p>${words.say('claim.text', { payee: nameOf(checkout, words), network })}</p></div>
${problem === null ? null : html`<div role="alert" id="problem">${renderNote(words.say(PROBLEMS[problem], { network }), 'warn')}</div>`}
<form method="post" action="${choiceLink(choice)}">
<p><label for="address">${words.say('claim.label', { network })}</label>
<input id="address" name="address" value="${typed}" required autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="100" dir="ltr"${problem === null ? null : html` aria-describedby="problem" aria-invalid="true"`}></p>
<button name="step" value="review">${words.say('claim.continue')}</button>
</form>
<p class="hint">${words.say('claim.exchange', { pair })}</p>
${renderNote(words.say('claim.safe'))}`
}
