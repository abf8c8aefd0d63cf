import type { PageData } from '../page-data.ts'
import { announceToScreenReader, button, element, setText } from './page.ts'

const SECONDS = 10

/**
 * Redirects to the merchant if a payment is confirmed while the page is open, unless the payer chooses to stay. A page
 * in a frame does not redirect, because that would replace the merchant's page around the frame. A page that announces
 * an excess does not redirect either, because the payer must read the announcement.
 */
export function redirectToMerchant(data: PageData, before: PageData | null): void {
  const { redirectUrl, screen, excess } = data.checkout
  const wasWaiting = before !== null && before.checkout.screen !== 'paid'
  if (screen !== 'paid' || !wasWaiting || redirectUrl === null || window.parent !== window) return
  if (excess !== null) return
  let left = SECONDS
  const text = element('span', {}, ...setText(data, 'script.returning', { seconds: left }))
  const stay = button(
    setText(data, 'script.stay'),
    () => {
      clearInterval(timer)
      box.remove()
      announceToScreenReader('')
    },
    'sec',
  )
  const box = element('div', { className: 'hint' }, text, ' ', stay)
  const timer = setInterval(() => {
    left -= 1
    text.replaceChildren(...setText(data, 'script.returning', { seconds: Math.max(0, left) }))
    if (left > 0) return
    clearInterval(timer)
    // Clicks the link instead of setting the location, because the link's `rel="noreferrer"` hides this page's address.
    document.querySelector<HTMLAnchorElement>('#return a')?.click()
  }, 1000)
  document.getElementById('return')?.append(box)
  // Announced once, not every second. The button gets the focus so that keyboard users reach it in time.
  announceToScreenReader(text.textContent ?? '')
  if (document.activeElement === document.body) stay.focus({ preventScroll: true })
}
