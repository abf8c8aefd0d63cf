import type { Page } from 'playwright-core'
import { buildCheckout } from './checkout.ts'
import { type StagedPage, stagePage } from './staged-page.ts'

/** The origin of a merchant's page, which may embed the checkout. */
export const SHOP = 'https://shop.example'

/** Another merchant's, which may not. */
export const OTHER_SHOP = 'https://other.example'

/** The origin of the checkout. */
export const CHECKOUT = 'https://pay.example'

/** A policy of a merchant's page that allows no style elements and no scripts but ours. */
const POLICY = `default-src 'none'; script-src ${CHECKOUT}; frame-src ${CHECKOUT} ${OTHER_SHOP}; style-src 'self'`

/** A merchant's page with a pay button, and the page that the button opens. */
export type StagedShop = StagedPage & {
  /** The events that the merchant's page has received, in order. */
  readonly events: () => Promise<readonly string[]>
  /** All messages to its window. */
  readonly messages: () => Promise<readonly unknown[]>
}

type Scripts = {
  /** The script of the checkout's page. */
  readonly script: string
  /** `checkout.js`. */
  readonly merchantScript: string
  readonly now: () => Date
}

/** Stages both below these origins; no request leaves the browser. */
export async function stageShop(page: Page, { script, merchantScript, now }: Scripts): Promise<StagedShop> {
  const context = page.context()
  const first = buildCheckout()
  const stage = await stagePage(context, { script, first, now, origin: CHECKOUT, frameOrigins: [SHOP] })
  const url = stage.url('token=USDC&network=base')
  for (const origin of [SHOP, OTHER_SHOP])
    await context.route(
      (at) => at.origin === origin && at.pathname === '/',
      (route, request) =>
        route.fulfill({
          headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY },
          body: renderShop(url, new URL(request.url()).searchParams.get('target') ?? '_self'),
        }),
    )
  await context.route(`${CHECKOUT}/pay/v1/checkout.js`, (route) =>
    route.fulfill({
      headers: { 'Content-Type': 'text/javascript; charset=utf-8', 'Access-Control-Allow-Origin': '*' },
      body: merchantScript,
    }),
  )
  await context.addInitScript({ content: RECORD_EVENTS })
  return {
    ...stage,
    events: () => page.evaluate<readonly string[]>('received'),
    messages: () => page.evaluate<readonly unknown[]>('messages'),
  }
}

/** Taller than the window, so that it can scroll. */
function renderShop(url: string, target: string): string {
  return `<!doctype html>
<html lang="en">
<title>A shop</title>
<script src="${CHECKOUT}/pay/v1/checkout.js" defer crossorigin="anonymous"></script>
<main>
<h1>A shop</h1>
<p><a href="https://elsewhere.example/">Another link</a></p>
<p><a href="${url.replaceAll('&', '&amp;')}" target="${target}" data-checkout>Pay</a></p>
<svg width="10" height="4000" aria-hidden="true"></svg>
</main>
</html>`
}

/** In every page, from the start: records the events of the pay button, and all messages. */
const RECORD_EVENTS = `
  globalThis.received = []
  globalThis.messages = []
  addEventListener('message', ({ data }) => messages.push(data))
  for (const type of ['opened', 'seen', 'paid', 'closed'])
    addEventListener('checkout:' + type, (event) => received.push(event.type + ' on ' + event.target.textContent))`
