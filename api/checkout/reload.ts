import { Html } from '../html.ts'

/**
 * Reloads a page, in its own time, which its script has not taken over by then: it could not be loaded or run, or the page
 * shows no charge. Without this such a page would stand still, and go on asking for what was paid. Its hash is in the
 * page's policy; `frame.ts` says the seconds.
 */
export const RELOAD = `
const seconds = Number(document.body.dataset.refresh)
const isLive = () => document.documentElement.classList.contains('scripted')
if (seconds) setTimeout(() => isLive() || location.reload(), seconds * 1000)
`

/** It, as it stands in the page. */
export const RELOAD_ELEMENT = new Html(`<script>${RELOAD}</script>`)
