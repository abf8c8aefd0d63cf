import { Html } from '../../shared/runtime/html.ts'

/**
 * Reloads a page after its interval unless the page's own script has taken over. The page's own script does not take
 * over if it could not be loaded or run, or if the page shows no charge. Without the reload such a page would keep
 * requesting money that was already paid. The page's policy contains the hash of this reloading script; `frame.ts` sets
 * the interval.
 */
export const RELOAD = `
const seconds = Number(document.body.dataset.refresh)
const isLive = () => document.documentElement.classList.contains('scripted')
if (seconds) setTimeout(() => isLive() || location.reload(), seconds * 1000)
`

/** The script as an element of the page. */
export const RELOAD_ELEMENT = new Html(`<script>${RELOAD}</script>`)
