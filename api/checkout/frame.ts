import { Html, html } from '../../shared/runtime/html.ts'
import type { Checkout } from './project.ts'
import { RELOAD_ELEMENT } from './reload.ts'
import { accentStyle, STYLE } from './style.ts'
import type { Translator } from './translate.ts'

/** The content of one page, without the parts that all pages share. */
export type Frame = {
  readonly title: string
  /** The paid party and the amount. */
  readonly header?: Html | null
  readonly main: Html
  readonly words: Translator
  /** Path relative to the page; `null` if the page has no script. */
  readonly script: string | null
  /** Data for the script, as JSON. */
  readonly data?: string | null
  /** The merchant's brand; `null` for a neutral page. */
  readonly brand?: Checkout['brand']
  readonly footer?: Html | null
  /** Seconds after which the page reloads, unless its script keeps it up to date; `null` for no reload. */
  readonly refreshSeconds?: number | null
}

export function renderFrame(frame: Frame): string {
  const { title, header, main, words, brand, footer } = frame
  const page = html`<html lang="${words.language}" dir="${words.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
${renderRefresh(frame)}
<title>${title}</title>
${FAVICON}${STYLE_ELEMENT}${brand?.accent ? styleElement(accentStyle(brand.accent)) : null}
${frame.script === null ? null : html`<script src="${frame.script}" defer></script>`}
</head>
<body${frame.refreshSeconds ? html` data-refresh="${frame.refreshSeconds}"` : null}>
<div class="page">
<header>${header}</header>
<main>${main}</main>
<footer>${footer}</footer>
</div>
${frame.data && frame.script ? new Html(`<script type="application/json" id="data">${frame.data.replaceAll('<', '\\u003c')}</script>`) : null}
${frame.refreshSeconds && frame.script ? RELOAD_ELEMENT : null}
</body>
</html>
`
  return `<!doctype html>\n${page.text}`
}

/**
 * Renders the automatic reload. With a script, the reload applies only where scripts are disabled, because the script
 * keeps the page up to date, and a reload would interrupt the payer.
 */
function renderRefresh({ refreshSeconds, script }: Frame): Html | null {
  if (!refreshSeconds) return null
  const element = html`<meta http-equiv="refresh" content="${refreshSeconds}">`
  return script === null ? element : html`<noscript>${element}</noscript>`
}

/** An icon embedded in the page, because otherwise browsers would request one from the API's host. */
const FAVICON = new Html(
  `<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='8' fill='%233146d3'/%3E%3Cpath d='m4.5 8.5 2.5 2.5 4.5-5' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E">`,
)

/**
 * Inserts a style unescaped, because the content security policy contains the hash of these bytes (`page-headers.ts`).
 */
function styleElement(style: string): Html {
  return new Html(`<style>${style}</style>`)
}

const STYLE_ELEMENT = styleElement(STYLE)
