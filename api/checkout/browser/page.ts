import type { PageData, ScriptPhrase } from '../page-data.ts'

/** Reads what a document tells the script; `null` if it is not the page of a charge. */
export function readPageData(from: Document): PageData | null {
  const text = from.getElementById('data')?.textContent
  return text ? (JSON.parse(text) as PageData) : null
}

/** Writes a phrase into an element, each `**` of which begins or ends what is strong. */
export function say(
  { texts }: PageData,
  phrase: ScriptPhrase,
  values: Readonly<Record<string, string | number>> = {},
): Node[] {
  return texts[phrase].split('**').map((part, index) => {
    const text = part.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
    return index % 2 === 0 ? document.createTextNode(text) : element('strong', {}, text)
  })
}

/** Makes an element; what is in it is text, whatever it says. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...inside: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...inside)
  return made
}

/** Makes a button that does something, once at a time; what goes wrong in it is for it to say. */
export function button(
  inside: readonly (Node | string)[],
  act: () => Promise<void> | void,
  className = '',
): HTMLButtonElement {
  const made = element('button', { type: 'button', className }, ...inside)
  made.addEventListener('click', () => {
    // Not `disabled`: that would take the focus from who came by the keyboard.
    if (made.hasAttribute('aria-disabled')) return
    made.setAttribute('aria-disabled', 'true')
    void Promise.resolve(act()).finally(() => made.removeAttribute('aria-disabled'))
  })
  return made
}

/** Has a screen reader say something, without moving anything. */
export function announce(text: string): void {
  spoken.textContent = text
  if (!spoken.isConnected) document.body.append(spoken)
}

const spoken = element('div', { className: 'unseen', role: 'status' })
