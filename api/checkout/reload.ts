import { Html } from '../../shared/runtime/html.ts'

/**
 * Inline script that reloads a page after the interval that `frame.ts` sets, unless the page's own script keeps the
 * page up to date. The own script does not do so if it could not be loaded or run, or if the page shows no charge.
 * Without a reload such a page could keep requesting money that was already paid.
 *
 * The content security policy contains the hash of this inline script.
 */
export const RELOAD = `
const seconds = Number(document.body.dataset.refresh)
const isLive = () => document.documentElement.classList.contains('scripted')
if (seconds) setTimeout(() => isLive() || location.reload(), seconds * 1000)
`

export const RELOAD_ELEMENT = new Html(`<script>${RELOAD}</script>`)
