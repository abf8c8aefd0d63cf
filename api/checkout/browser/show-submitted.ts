import type { PageData } from '../page-data.ts'
import { button, element, setText } from './page.ts'
import type { SubmittedPayment } from './submitted-payments.ts'

/**
 * Shows a payment that was or might have been sent in place of the payment instructions; with `null`
 * restores them.
 *
 * @param again - called when the payer reports that the payment failed or was not sent
 */
export function showSubmitted(data: PageData, sent: SubmittedPayment | null, again: () => void): void {
  const how = document.getElementById('how')
  if (how) how.hidden = sent !== null
  // The rest is an amount to send, unlike the whole amount.
  const [rest, whole] = [document.getElementById('rest'), document.getElementById('whole')]
  if (rest) rest.hidden = sent !== null
  if (whole) whole.hidden = sent === null
  const container = document.getElementById('sent')
  // Content that is already shown stays, and with it the focus and the screen reader's position.
  const content = JSON.stringify([sent, data.language])
  if (!container || container.dataset['shown'] === content) return
  container.dataset['shown'] = content
  container.replaceChildren(...(sent === null ? [] : renderSent(data, sent, again)))
}

function renderSent(data: PageData, sent: SubmittedPayment, again: () => void): readonly Node[] {
  const { title, text, way } = getPhrases(sent)
  const subject = element(
    'div',
    { className: 'state busy' },
    element('h2', {}, ...setText(data, title)),
    element('p', { role: 'status' }, ...setText(data, text)),
    ...(sent.answer === null
      ? []
      : [element('p', {}, ...setText(data, 'script.error', { message: sent.answer }))]),
    ...(sent.txHash === null ? [] : [element('p', {}, element('code', {}, sent.txHash))]),
  )
  return [subject, ...(way === null ? [] : [button(setText(data, way), again, 'sec')])]
}

/**
 * Returns the texts for a payment, and the button with which the payer can pay again.
 *
 * - Requested from the wallet: only the payer knows whether it was sent.
 * - Signed: the service may submit it until it expires. Until then the page must not request another signature or
 *   payment.
 * - Signed elsewhere: only the payer knows whether they signed it. Without the button, anyone with the charge's address
 *   could block the payer by signing again and again.
 */
function getPhrases({ txHash, signed }: SubmittedPayment) {
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
