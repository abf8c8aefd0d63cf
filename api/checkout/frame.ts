import { Html, html } from '../html.ts'
import type { Checkout } from './project.ts'
import { RELOAD_ELEMENT } from './reload.ts'
import { accentStyle, STYLE } from './style.ts'
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
  /** Of whom it is; `null`: of nobody in particular. */
  readonly brand?: Checkout['brand']
  /** Said on every page of a test. */
  readonly banner?: Html | null
  readonly footer?: Html | null
  /** It reloads itself after so many seconds, unless its script keeps it live; `null`: never. */
  readonly refreshSeconds?: number | null
}

/** Writes a whole document. */
export function renderFrame(frame: Frame): string {
  const { title, main, words, brand, banner, footer } = frame
  const page = html`<html lang="${words.language}" dir="${words.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
${refresh(frame)}
<title>${title}</title>
${STYLE_ELEMENT}${brand?.accent ? styleElement(accentStyle(brand.accent)) : null}
${frame.script === null ? null : html`<script src="${frame.script}" defer></script>`}
</head>
<body${frame.refreshSeconds ? html` data-refresh="${frame.refreshSeconds}"` : null}>
<header>${brand ? signboard(brand) : null}${banner}</header>
<main${frame.isGood ? GOOD : null}>
<h1>${title}</h1>
${main}
</main>
<footer>${footer}</footer>
${frame.data && frame.script ? new Html(`<script type="application/json" id="data">${frame.data.replaceAll('<', '\\u003c')}</script>`) : null}
${frame.refreshSeconds && frame.script ? RELOAD_ELEMENT : null}
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

/** The name says what the logo would: who hears the page is not told it twice. */
function signboard({ name, logo }: NonNullable<Checkout['brand']>): Html {
  const picture = logo === null ? null : html`<img src="${logo}" alt="">`
  return html`<p class="brand">${picture}<bdi>${name}</bdi></p>`
}

/** Ours, and no text: what is in it is hashed as it stands (`policy.ts`). */
function styleElement(style: string): Html {
  return new Html(`<style>${style}</style>`)
}

const STYLE_ELEMENT = styleElement(STYLE)
