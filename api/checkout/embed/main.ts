import { type OnEvent, openDialog } from './open-dialog.ts'

/**
 * The script for merchants' pages (`checkout.js`). It opens a page of this checkout in a dialog when the payer clicks a
 * link with `data-checkout`, or when the merchant calls `openCheckout`. Other links, and all links without the script,
 * stay plain links.
 */

declare global {
  interface Window {
    openCheckout: typeof openCheckout
  }
}

/**
 * The checkout's base URL. This script is at `vN/checkout.js` below it, where N is the version. Only pages below this
 * URL open in the dialog.
 */
const BASE = new URL('..', (document.currentScript as HTMLScriptElement).src).href

window.openCheckout = openCheckout
addEventListener('click', openLink)

/**
 * Opens a charge's page in a dialog and returns a function that closes the dialog.
 *
 * @param url - the charge's `checkoutUrl`
 * @param onEvent - called with `opened`, `seen`, `paid` and `closed`, each at most once and in this order
 * @throws {TypeError} if the URL is not below the URL of the checkout that served this script
 */
function openCheckout(url: string, onEvent: OnEvent = () => undefined): () => void {
  const page = new URL(url, location.href)
  if (!page.href.startsWith(BASE)) throw new TypeError(`${url} is not below ${BASE}`)
  return openDialog(page, onEvent)
}

/**
 * Opens a clicked checkout link in the dialog, unless the payer used another mouse button or a modifier key, or the
 * merchant's page has handled the click.
 */
function openLink(event: MouseEvent): void {
  const link = event.target instanceof Element && event.target.closest<HTMLAnchorElement>('a[data-checkout]')
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
  if (!link || !isPlain || event.defaultPrevented || !link.href.startsWith(BASE)) return
  event.preventDefault()
  // Safari does not focus a clicked link, and closing the dialog returns the focus to the element that has it now.
  link.focus({ preventScroll: true })
  openCheckout(link.href, (type) =>
    link.dispatchEvent(new CustomEvent(`checkout:${type}`, { bubbles: true })),
  )
}
