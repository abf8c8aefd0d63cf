import { Html, html } from '../html.ts'
import { STYLE } from './style.ts'

/** One page, without what all have. */
export type Frame = {
  readonly title: string
  readonly main: Html
  /** It says that all is well. */
  readonly isGood?: boolean
  /** Said on every page of a test. */
  readonly banner?: Html | null
  readonly footer?: Html | null
  /** It reloads itself after so many seconds; `null`: never. */
  readonly refreshSeconds?: number | null
}

/** Writes a whole document. */
export function renderFrame({ title, main, isGood, banner, footer, refreshSeconds }: Frame): string {
  const page = html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
${refreshSeconds ? html`<meta http-equiv="refresh" content="${refreshSeconds}">` : null}
<title>${title}</title>
${STYLE_ELEMENT}
</head>
<body>
${banner ? html`<header>${banner}</header>` : null}
<main${isGood ? GOOD : null}>
<h1>${title}</h1>
${main}
</main>
${footer ? html`<footer>${footer}</footer>` : null}
</body>
</html>
`
  return `<!doctype html>\n${page.text}`
}

const GOOD = new Html(' class="good"')

/** Ours, and no text: what is in it is hashed as it stands (`policy.ts`). */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`)
