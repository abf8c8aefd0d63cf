import type { PageData, ScriptPhrase } from '../page-data.ts'
import { element, setText } from './page.ts'

/** Shows or removes the notice below the page that live updates are interrupted, or that the browser is offline. */
export function showLostBanner(data: PageData, isLost: boolean): void {
  const banner = document.getElementById('lost')
  if (!isLost) return banner?.remove()
  const phrase: ScriptPhrase = navigator.onLine ? 'script.lost' : 'script.offline'
  if (banner?.dataset['shown'] === phrase) return
  const shown = element('p', { id: 'lost', className: 'lost', role: 'status' }, ...setText(data, phrase))
  shown.dataset['shown'] = phrase
  if (banner) banner.replaceWith(shown)
  else document.body.append(shown)
}
