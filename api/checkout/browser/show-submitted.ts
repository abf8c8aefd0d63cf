import type { PageData } from '../page-data.ts'
import type { SubmittedPayment } from './submitted-payments.ts'

/**
 * Shows a payment that was or might have been sent, and hides the payment instructions. With `null` it shows the
 * instructions again.
 *
 * @param render - renders the payment; `null` until the payment code is loaded. Until then the page shows neither the
 * payment nor the instructions.
 */
export function showSubmitted(
  data: PageData,
  sent: SubmittedPayment | null,
  render: ((sent: SubmittedPayment) => readonly Node[]) | null,
): void {
  const how = document.getElementById('how')
  if (how) how.hidden = sent !== null
  // Shows the whole amount instead of the remaining amount, which the payer might send again.
  const [rest, whole] = [document.getElementById('rest'), document.getElementById('whole')]
  if (rest) rest.hidden = sent !== null
  if (whole) whole.hidden = sent === null
  const container = document.getElementById('sent')
  // Unchanged content is not replaced, so that it keeps the focus and the position of a screen reader.
  const content = JSON.stringify([sent, data.language])
  if (!container || container.dataset['shown'] === content || (sent !== null && render === null)) return
  container.dataset['shown'] = content
  container.replaceChildren(...(sent === null || render === null ? [] : render(sent)))
}
