import { Html, html } from '../http/html.ts'
import type { Checkout } from './project.ts'
import { RELOAD_ELEMENT } from './reload.ts'
import { accentStyle, STYLE } from './style.ts'
import type { Translator } from './translate.ts'

/** The content of one page, without the parts that all pages share. */
export type Frame = {
  readonly title: string
  readonly main: Html
  readonly words: Translator
  /** Path of the page's script relative to the page; `null` if there is no script. */
  readonly script: string | null
  /** Data for the script, as JSON. */
  readonly data?: string | null
  /** Whether the page reports success. */
  readonly isGood?: boolean
  /** The merchant's brand; `null` for a neutral page. */
  readonly brand?: Checkout['brand']
  /** Shown at the top of every page of a test charge. */
  readonly banner?: Html | null
  readonly footer?: Html | null
  /** Seconds after which the page reloads, unless its script keeps it up to date; `null`: never. */
  readonly refreshSeconds?: number | null
}

/** Renders a whole document. */
export function renderFrame(frame: Frame): string {
  const { title, main, words, brand, banner, footer } = frame
  const page = html`<html lang="${words.language}" dir="${words.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
${renderRefresh(frame)}
<title>${title}</title>
${STYLE_ELEMENT}${brand?.accent ? styleElement(accentStyle(brand.accent)) : null}
${frame.script === null ? null : html`<script src="${frame.script}" defer></script>`}
</head>
<body${frame.refreshSeconds ? html` data-refresh="${frame.refreshSeconds}"` : null}>
<header>${brand ? renderBrand(brand) : null}${banner}</header>
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

/** A page with a script is kept up to date by the script, so it must not reload while the payer reads it. */
function renderRefresh({ refreshSeconds, script }: Frame): Html | null {
  if (!refreshSeconds) return null
  const element = html`<meta http-equiv="refresh" content="${refreshSeconds}">`
  return script === null ? element : html`<noscript>${element}</noscript>`
}

const GOOD = new Html(' class="good"')

/** Renders the merchant's name and logo. `alt` is empty because a screen reader already reads the name. */
function renderBrand({ name, logo }: NonNullable<Checkout['brand']>): Html {
  const picture = logo === null ? null : html`<img src="${logo}" alt="">`
  return html`<p class="brand">${picture}<bdi>${name}</bdi></p>`
}

/** Inserts a style unescaped, because the policy contains the hash of these exact bytes (`policy.ts`). */
function styleElement(style: string): Html {
  return new Html(`<style>${style}</style>`)
}

const STYLE_ELEMENT = styleElement(STYLE)
