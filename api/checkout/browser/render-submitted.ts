import type { PageData } from '../page-data.ts'
import { button, element, setText } from './page.ts'
import type { SubmittedPayment } from './submitted-payments.ts'

/**
 * Renders a payment that was or might have been sent.
 *
 * @param again - called when the payer reports that the payment failed, or was not sent or signed
 */
export function renderSubmitted(data: PageData, sent: SubmittedPayment, again: () => void): readonly Node[] {
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
 * Returns the texts for a payment, and as `way` the label of the button with which the payer can pay again; `null` for
 * no button.
 *
 * - Requested from the wallet: only the payer can say whether it was sent.
 * - Sent: the payer can report that the transaction failed.
 * - Signed: the service may submit the authorization until it expires. Until then the page must not request another
 *   signature or payment.
 * - Signed elsewhere: only the payer can say whether they signed it. Without the button, anyone with the page's URL
 *   could keep the payer from paying by signing again and again.
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
