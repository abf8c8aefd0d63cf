import type { PageData, ScriptPhrase } from '../page-data.ts'
import { element, setText } from './page.ts'
import { findSubmitted } from './submitted-payments.ts'

/** Shows that the page might be out of date, or removes that notice. */
export function showLostBanner(data: PageData, isLost: boolean): void {
  const banner = document.getElementById('lost')
  if (!isLost) return banner?.remove()
  const phrases = choosePhrases(data)
  const content = phrases.join()
  if (banner?.dataset['shown'] === content) return
  const shown = element('p', { id: 'lost', className: 'lost', role: 'status' })
  shown.dataset['shown'] = content
  for (const phrase of phrases) shown.append(...setText(data, phrase), ' ')
  if (banner) banner.replaceWith(shown)
  else document.body.prepend(shown)
}

/**
 * Chooses the texts of the banner. It states that no payment was sent only if that is certain: no part is known, and this
 * browser has sent no request to a wallet.
 */
function choosePhrases(data: PageData): readonly ScriptPhrase[] {
  if (navigator.onLine) return ['script.lost']
  const { screen, amountReceived, seenTransfers } = data.checkout
  const isUnsent = screen === 'pay' && amountReceived === null && seenTransfers.length === 0
  return isUnsent && findSubmitted(data) === null ? ['script.offline', 'script.unsent'] : ['script.offline']
}
