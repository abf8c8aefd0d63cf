import { Html, html } from '../html.ts'
import { STYLE } from './style.ts'
import type { Words } from './words.ts'

/** One page, without what all have. */
export type Frame = {
  readonly title: string
  readonly main: Html
  readonly words: Words
  /** The path of the page's script, from the page; `null`: it has none. */
  readonly script: string | null
  /** What the script knows of the page, as JSON; `null`: nothing. */
  readonly data?: string | null
  /** It says that all is well. */
  readonly isGood?: boolean
  /** Said on every page of a test. */
  readonly banner?: Html | null
  readonly footer?: Html | null
  /** Without the script it reloads itself after so many seconds; `null`: never. */
  readonly refreshSeconds?: number | null
}

/** Writes a whole document. */
export function renderFrame(frame: Frame): string {
  const { title, main, words, banner, footer } = frame
  const page = html`<html lang="${words.language}" dir="${words.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
${refresh(frame)}
<title>${title}</title>
${STYLE_ELEMENT}
${frame.script === null ? null : html`<script src="${frame.script}" defer></script>`}
</head>
<body${frame.refreshSeconds ? html` data-refresh="${frame.refreshSeconds}"` : null}>
<header>${banner}</header>
<main${frame.isGood ? GOOD : null}>
<h1>${title}</h1>
${main}
</main>
<footer>${footer}</footer>
${frame.data && frame.script ? new Html(`<script type="application/json" id="data">${frame.data.replaceAll('<', '\\u003c')}</script>`) : null}
</body>
</html>
`
  return `<!doctype html>\n${page.text}`
}

/** A page with a script is kept up to date by it, and never goes away under the hands of who reads it. */
function refresh({ refreshSeconds, script }: Frame): Html | null {
  if (!refreshSeconds) return null
  const element = html`<meta http-equiv="refresh" content="${refreshSeconds}">`
  return script === null ? element : html`<noscript>${element}</noscript>`
}

const GOOD = new Html(' class="good"')

/** Ours, and no text: what is in it is hashed as it stands (`policy.ts`). */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`)
