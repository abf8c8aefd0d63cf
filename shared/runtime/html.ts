/** Text that is already HTML. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Renders HTML. Values are escaped unless they are `Html`. Lists are concatenated; `null` renders nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  const parts = strings.map((text, index) => text + (index < values.length ? write(values[index]) : ''))
  return new Html(parts.join(''))
}

/** Renders text as paragraphs, which empty lines separate. Text between backquotes becomes `<code>`. */
export function prose(text: string): Html {
  const paragraphs = text.split('\n\n').map((paragraph) => `<p>${inline(paragraph)}</p>`)
  return new Html(paragraphs.join(''))
}

/** Renders text like `prose`, but without paragraphs. */
export function sentence(text: string): Html {
  return new Html(inline(text))
}

type Part = string | number | null | Html | readonly Html[] | undefined

function write(part: Part): string {
  if (part === null || part === undefined) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(({ text }) => text).join('')
  return escape(String(part))
}

function inline(text: string): string {
  return escape(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
}
