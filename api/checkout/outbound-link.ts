import { type Html, html } from '../../shared/runtime/html.ts'

/**
 * Returns the attributes of a link that leaves the checkout: to a wallet, an explorer, or a contact.
 *
 * This page might be in a frame of a merchant's page. Many websites refuse to load in a frame, so no link opens inside
 * the frame. A website opens in a new tab, so that this page stays open and shows when the payment arrives. An app
 * (`ethereum:`, `mailto:`) opens from the top window, because a new tab would stay empty behind the app.
 */
export function outboundLink(url: string): Html {
  return /^https?:/i.test(url)
    ? html`href="${url}" target="_blank" rel="noopener noreferrer"`
    : html`href="${url}" target="_top"`
}

/**
 * Returns the attributes of the link to the merchant. The link replaces the merchant's page if that page shows the
 * checkout in a frame.
 */
export function returnLink(url: string): Html {
  return html`href="${url}" target="_top" rel="noreferrer"`
}
