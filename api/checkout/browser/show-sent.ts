import type { PageData } from '../page-data.ts'
import { button, element, say } from './page.ts'
import type { Sent } from './sent.ts'

/**
 * Writes what was sent in the place of all that asks for money, the heading too; with `null` all is as the page has it.
 *
 * @param again - called when the payer says that it has failed
 */
export function showSent(data: PageData, sent: Sent | null, again: () => void): void {
  const how = document.getElementById('how')
  if (how) how.hidden = sent !== null
  const heading = document.querySelector('h1')
  // The document's title stays what the page is about.
  if (heading) heading.textContent = sent === null ? document.title : data.texts['script.sentTitle']
  document.getElementById('sent')?.replaceChildren(...(sent === null ? [] : boxOf(data, sent, again)))
}

function boxOf(data: PageData, { txHash }: Sent, again: () => void): readonly Node[] {
  return [
    element('p', { className: 'warning', role: 'status' }, ...say(data, 'script.sent')),
    element('p', {}, element('code', {}, txHash)),
    element('p', {}, button(say(data, 'script.again'), again, 'secondary')),
  ]
}
