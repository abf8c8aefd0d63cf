import type { PageData } from '../page-data.ts'
import { announce, button, element, say } from './page.ts'

const SECONDS = 5

/** Leads back to the merchant when a payment was confirmed before the payer's eyes, unless he stays. */
export function leadBack(data: PageData, before: PageData | null): void {
  const { redirectUrl, screen } = data.checkout
  const wasWaiting = before !== null && before.checkout.screen !== 'paid'
  if (screen !== 'paid' || !wasWaiting || redirectUrl === null) return
  let left = SECONDS
  const text = element('span', {}, ...say(data, 'script.returning', { seconds: left }))
  const stay = button(
    say(data, 'script.stay'),
    () => {
      clearInterval(timer)
      box.remove()
      announce('')
    },
    'secondary',
  )
  const box = element('p', {}, text, ' ', stay)
  const timer = setInterval(() => {
    left -= 1
    text.replaceChildren(...say(data, 'script.returning', { seconds: Math.max(0, left) }))
    if (left > 0) return
    clearInterval(timer)
    // With its rel="noreferrer": the address of this page is told to nobody.
    document.querySelector<HTMLAnchorElement>('#return a')?.click()
  }, 1000)
  document.getElementById('return')?.append(box)
  // Said once, not each second; and who comes by the keyboard is there in time.
  announce(text.textContent ?? '')
  if (document.activeElement === document.body) stay.focus({ preventScroll: true })
}
