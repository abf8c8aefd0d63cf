import { type Html, html } from '../../shared/runtime/html.ts'
import { type Icon, renderIcon } from './icons.ts'

/** The main message at the top of a page. */
export type State = {
  /** Colour; `calm` is neutral. */
  readonly tone: 'good' | 'warn' | 'busy' | 'calm'
  readonly icon: Icon
  readonly title: string
  readonly text: Html
}

export function renderState({ tone, icon, title, text }: State): Html {
  return html`<div class="state ${tone}"><span class="badge">${renderIcon(icon)}</span><h1>${title}</h1>${text}</div>`
}

/** Renders a note in a box: a warning or neutral information. */
export function renderNote(text: Html, tone: 'warn' | 'calm' = 'calm'): Html {
  return tone === 'warn'
    ? html`<p class="note warn">${renderIcon('warn')}<span>${text}</span></p>`
    : html`<p class="note">${renderIcon('info')}<span>${text}</span></p>`
}
