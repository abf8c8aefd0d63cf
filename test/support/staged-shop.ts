import type { Page } from 'playwright-core'
import type { ScriptBundles } from '../../api/checkout/page-script.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { buildCheckout } from './checkout.ts'
import { type StagedPage, stagePage } from './staged-page.ts'

/** The origin of a merchant's page, which may embed the checkout. */
export const SHOP = 'https://shop.example'

/** The origin of another merchant's page, which may not embed the checkout. */
export const OTHER_SHOP = 'https://other.example'

/** The origin of the staged checkout. */
export const CHECKOUT = 'https://pay.example'

/** A merchant's page with a pay button. */
export type ShopPage = {
  /** Waits until the merchant's page has received exactly these events from its button. */
  readonly untilEvents: (...types: readonly string[]) => Promise<void>
  /** Returns everything that the merchant's page has recorded with `received.push`. */
  readonly received: () => Promise<readonly unknown[]>
  /** Returns all messages to the page's window. */
  readonly messages: () => Promise<readonly unknown[]>
}

type Button = {
  /** The element that loads `checkout.js`. */
  readonly script: string
  /** The page that the button opens. */
  readonly url: string
}

/**
 * Serves a merchant's page at both origins. The page's Content-Security-Policy allows only scripts of the checkout's
 * origin, frames of the checkout and of the other shop, and style sheets of its own origin.
 */
export async function serveShop(page: Page, { script, url }: Button): Promise<ShopPage> {
  const { origin } = new URL(url)
  const policy = `default-src 'none'; script-src ${origin}; frame-src ${origin} ${OTHER_SHOP}; style-src 'self'`
  for (const shop of [SHOP, OTHER_SHOP])
    await page.context().route(
      (at) => at.origin === shop && at.pathname === '/',
      (route, request) =>
        route.fulfill({
          headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
          body: renderShop({ script, url, target: new URL(request.url()).searchParams.get('target') }),
        }),
    )
  await page.context().addInitScript({ content: RECORD_EVENTS })
  const received = () => page.evaluate<readonly unknown[]>('received')
  return {
    untilEvents: async (...types) => {
      const events = types.map((type) => `checkout:${type} on Pay`)
      const hasThem = async () => JSON.stringify(await received()) === JSON.stringify(events)
      await waitFor(hasThem, { what: `the events ${types.join()}`, timeoutMs: 60_000 })
    },
    received,
    messages: () => page.evaluate<readonly unknown[]>('messages'),
  }
}

type Scripts = {
  /** The scripts of the checkout's page. */
  readonly scripts: ScriptBundles
  /** `checkout.js`. */
  readonly merchantScript: string
  readonly now: () => Date
}

/** Serves a merchant's page and the checkout within the browser. No request leaves the browser. */
export async function stageShop(
  page: Page,
  { scripts, merchantScript, now }: Scripts,
): Promise<StagedPage & ShopPage> {
  const first = buildCheckout()
  const at = { origin: CHECKOUT, frameOrigins: [SHOP] }
  const stage = await stagePage(page.context(), { scripts, first, now, ...at })
  const src = `${CHECKOUT}/pay/v1/checkout.js`
  await page.context().route(src, (route) =>
    route.fulfill({
      headers: { 'Content-Type': 'text/javascript; charset=utf-8', 'Access-Control-Allow-Origin': '*' },
      body: merchantScript,
    }),
  )
  const loading = `<script src="${src}" defer crossorigin="anonymous"></script>`
  return { ...stage, ...(await serveShop(page, { script: loading, url: stage.url(CHOSEN) })) }
}

/** The payer's choices in the query of the pay button's URL. */
export const CHOSEN = 'token=USDC&network=base'

/** The page is taller than the window, so that it can scroll. */
function renderShop({ script, url, target }: Button & { readonly target: string | null }): string {
  return `<!doctype html>
<html lang="en">
<title>A shop</title>
${script}
<main>
<h1>A shop</h1>
<p><a href="https://elsewhere.example/">Another link</a></p>
<p><a href="${url.replaceAll('&', '&amp;')}" target="${target ?? '_self'}" data-checkout>Pay</a></p>
<svg width="10" height="4000" aria-hidden="true"></svg>
</main>
</html>`
}

/** Script that runs first in every page: records the events of the pay button, and all messages. */
const RECORD_EVENTS = `
  globalThis.received = []
  globalThis.messages = []
  addEventListener('message', ({ data }) => messages.push(data))
  for (const type of ['opened', 'seen', 'paid', 'closed'])
    addEventListener('checkout:' + type, (event) => received.push(event.type + ' on ' + event.target.textContent))`
