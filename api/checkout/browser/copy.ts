import type { PageData } from '../page-data.ts'
import { announce, button, say } from './page.ts'

/** Puts a button behind everything that is to be copied. */
export function offerCopies(data: PageData): void {
  for (const source of document.querySelectorAll<HTMLElement>('[data-copy]')) {
    if (source.dataset['copy'] === 'offered') continue
    source.dataset['copy'] = 'offered'
    const label = source.closest('dd')?.previousElementSibling?.textContent ?? ''
    const made = button(
      say(data, 'script.copy'),
      async () => {
        const isCopied = await copy(source)
        const told = say(data, isCopied ? 'script.copied' : 'script.copyFailed')
        announce(`${told.map((node) => node.textContent).join('')}: ${label}`)
        made.replaceChildren(...told)
        setTimeout(() => made.replaceChildren(...say(data, 'script.copy')), 2500)
      },
      'copied',
    )
    made.setAttribute('aria-label', `${data.texts['script.copy']}: ${label}`)
    // Behind the unit, too: an amount is read with it.
    source.parentElement?.append(' ', made)
  }
}

/** Without a secure context there is no clipboard: then it is selected, and the browser's own command tried. */
async function copy(source: HTMLElement): Promise<boolean> {
  const text = source.textContent ?? ''
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const selection = getSelection()
    selection?.selectAllChildren(source)
    // Deprecated and everywhere: nothing else copies outside a secure context.
    return document.execCommand('copy')
  }
}
