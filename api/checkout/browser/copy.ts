import { announceToScreenReader, button, getText, setText, type Texts } from './page.ts'

/** Adds a copy button after each value that can be copied. */
export function addCopyButtons(data: Texts): void {
  for (const source of document.querySelectorAll<HTMLElement>('[data-copy]')) {
    if (source.dataset['copy'] === 'offered') continue
    source.dataset['copy'] = 'offered'
    const label = source.closest('dd')?.previousElementSibling?.textContent ?? source.textContent ?? ''
    const copyButton = button(
      setText(data, 'script.copy'),
      async () => {
        const isCopied = await copy(source)
        const feedback = setText(data, isCopied ? 'script.copied' : 'script.copyFailed')
        announceToScreenReader(`${feedback.map((node) => node.textContent).join('')}: ${label}`)
        copyButton.replaceChildren(...feedback)
        setTimeout(() => copyButton.replaceChildren(...setText(data, 'script.copy')), 2500)
      },
      'copy',
    )
    copyButton.setAttribute('aria-label', `${getText(data, 'script.copy')}: ${label}`)
    source.parentElement?.append(copyButton)
  }
}

/**
 * Copies the text of an element and returns whether that worked. If the Clipboard API fails or is missing, as outside a
 * secure context, selects the text and uses the browser's copy command.
 */
async function copy(source: HTMLElement): Promise<boolean> {
  const text = source.textContent ?? ''
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const selection = getSelection()
    selection?.selectAllChildren(source)
    // `execCommand` is deprecated but supported everywhere, also outside a secure context.
    return document.execCommand('copy')
  }
}
