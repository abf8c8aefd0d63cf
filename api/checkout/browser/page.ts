import type { ClaimPageData, EscrowPageData, PageData, ScriptPhrase } from '../page-data.ts'

/**
 * All texts received so far. Newer data might lack texts that are still needed, and the payment code adds its own
 * texts.
 */
const TEXTS: Partial<Record<ScriptPhrase, string>> = {}

export type Texts = Pick<PageData, 'texts'>

/** Parses the data of a charge's page. Returns `null` for a page without data, such as an error page. */
export function readPageData(from: Document): PageData | null {
  return readData(from) as PageData | null
}

export function readClaimPageData(from: Document): ClaimPageData | null {
  return readData(from) as ClaimPageData | null
}

export function readEscrowPageData(from: Document): EscrowPageData | null {
  return readData(from) as EscrowPageData | null
}

function readData(from: Document): Texts | null {
  const text = from.getElementById('data')?.textContent
  if (!text) return null
  const data = JSON.parse(text) as Texts
  return { ...data, texts: Object.assign(TEXTS, data.texts) }
}

/** Returns a text; empty if it has not been received. */
export function getText({ texts }: Texts, phrase: ScriptPhrase): string {
  return texts[phrase] ?? ''
}

/**
 * Builds the nodes of a text. Each `**` starts or ends a `strong` element; `{name}` stands for the value of that name.
 */
export function setText(
  data: Texts,
  phrase: ScriptPhrase,
  values: Readonly<Record<string, string | number>> = {},
): Node[] {
  return getText(data, phrase)
    .split('**')
    .map((part, index) => {
      const text = part.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
      return index % 2 === 0 ? document.createTextNode(text) : element('strong', {}, text)
    })
}

/** Creates an element. Strings become text nodes, never markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...inside: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const created = Object.assign(document.createElement(name), properties)
  created.append(...inside)
  return created
}

/** Creates a button that ignores clicks while its action runs. The action must handle its own errors. */
export function button(
  inside: readonly (Node | string)[],
  act: () => Promise<void> | void,
  className = '',
): HTMLButtonElement {
  const created = element('button', { type: 'button', className }, ...inside)
  created.addEventListener('click', () => {
    // Not `disabled`, because that would take the focus from keyboard users.
    if (created.hasAttribute('aria-disabled')) return
    created.setAttribute('aria-disabled', 'true')
    void Promise.resolve(act()).finally(() => created.removeAttribute('aria-disabled'))
  })
  return created
}

/** Announces a text to screen readers without changing the visible page. */
export function announceToScreenReader(text: string): void {
  liveRegion.textContent = text
  if (!liveRegion.isConnected) document.body.append(liveRegion)
}

const liveRegion = element('div', { className: 'unseen', role: 'status' })

/** Returns the name of a wallet for use within a sentence; a generic name if the wallet has none. */
export function nameWallet(data: Texts, { name }: { readonly name: string | null }): string {
  return name ?? getText(data, 'script.walletInBrowser')
}
