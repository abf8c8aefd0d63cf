import type { PageData } from '../page-data.ts'
import { button, element, say } from './page.ts'
import type { Sent } from './sent.ts'

/**
 * Writes what was sent, or may have been, in the place of all that asks for money, the heading too; with `null` all is as the page has it.
 *
 * @param again - called when the payer says that it has failed, or was not sent
 */
export function showSent(data: PageData, sent: Sent | null, again: () => void): void {
  const how = document.getElementById('how')
  if (how) how.hidden = sent !== null
  const heading = document.querySelector('h1')
  // The document's title stays what the page is about.
  if (heading) heading.textContent = sent === null ? document.title : data.texts[phrasesOf(sent).title]
  const place = document.getElementById('sent')
  // What stands there already stays, and with it the focus, and what a screen reader has said.
  const what = JSON.stringify([sent, data.language])
  if (!place || place.dataset['shown'] === what) return
  place.dataset['shown'] = what
  place.replaceChildren(...(sent === null ? [] : boxOf(data, sent, again)))
}

function boxOf(data: PageData, sent: Sent, again: () => void): readonly Node[] {
  const { text, way } = phrasesOf(sent)
  return [
    element('p', { className: 'warning', role: 'status' }, ...say(data, text)),
    ...(sent.answer === null
      ? []
      : [element('p', {}, ...say(data, 'script.error', { message: sent.answer }))]),
    ...(sent.txHash === null ? [] : [element('p', {}, element('code', {}, sent.txHash))]),
    ...(way === null ? [] : [element('p', {}, button(say(data, way), again, 'secondary'))]),
  ]
}

/**
 * Of what a wallet was asked to send nobody but the payer knows whether it did. What he has signed the service may carry out
 * until it lapses, and until then nobody is asked for another signature, nor led to pay beside it. Of what was signed elsewhere
 * only he knows whether it was by him: whoever has the charge's address could keep him from paying for as long as he signs.
 */
function phrasesOf({ txHash, signed }: Sent) {
  if (signed?.nonce === '')
    return { title: 'script.heldTitle', text: 'script.held', way: 'script.notSigned' } as const
  if (signed !== undefined)
    return txHash === null
      ? ({ title: 'script.unclearTitle', text: 'script.unclear', way: null } as const)
      : ({ title: 'script.signedTitle', text: 'script.signed', way: null } as const)
  return txHash === null
    ? ({ title: 'script.askedTitle', text: 'script.asked', way: 'script.notSent' } as const)
    : ({ title: 'script.sentTitle', text: 'script.sent', way: 'script.again' } as const)
}
