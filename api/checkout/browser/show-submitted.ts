import type { PageData } from '../page-data.ts'
import type { SubmittedPayment } from './submitted-payments.ts'

/**
 * Shows, instead of the payment instructions, a payment that was or might have been sent. With `null` it restores the
 * instructions.
 *
 * @param render - renders the payment; `null` until the code that talks to wallets is loaded. Until then nothing is
 * shown in place of the hidden instructions.
 */
export function showSubmitted(
  data: PageData,
  sent: SubmittedPayment | null,
  render: ((sent: SubmittedPayment) => readonly Node[]) | null,
): void {
  const how = document.getElementById('how')
  if (how) how.hidden = sent !== null
  // Hides the remaining amount, which the payer would send, and shows the whole amount instead.
  const [rest, whole] = [document.getElementById('rest'), document.getElementById('whole')]
  if (rest) rest.hidden = sent !== null
  if (whole) whole.hidden = sent === null
  const container = document.getElementById('sent')
  // Content that is already shown stays, and with it the focus and the screen reader's position.
  const content = JSON.stringify([sent, data.language])
  if (!container || container.dataset['shown'] === content || (sent !== null && render === null)) return
  container.dataset['shown'] = content
  container.replaceChildren(...(sent === null || render === null ? [] : render(sent)))
}
