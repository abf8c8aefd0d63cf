import { html } from '../html.ts'
import { renderFrame } from './frame.ts'

/** Writes the page of an answer that shows no charge; it says nothing of which address was asked for. */
export function renderFailure(status: number): string {
  if (status === 404) {
    return renderFrame({
      title: 'There is no such payment',
      main: html`<p>Please look whether the link is complete, or ask the merchant for it again.</p>${SENT_ALREADY}`,
    })
  }
  const title = status === 429 ? 'Too many requests' : 'This page cannot be shown at the moment'
  return renderFrame({
    title,
    main: html`<p>Please wait: the page tries again by itself in half a minute.</p>${SENT_ALREADY}`,
    refreshSeconds: 30,
  })
}

const SENT_ALREADY = html`<p class="warning">Have you sent a payment already? Then <strong>do not send it again</strong>: it does not need this page to be noticed.</p>`
