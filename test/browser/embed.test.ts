import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { ScriptBundles } from '../../api/checkout/page-script.ts'
import { atto } from '../../shared/domain/money.ts'
import { waitFor } from '../devnet/wait-for.ts'
import {
  expectAccessible,
  filterAppearances,
  listAppearances,
  setAppearance,
  watchPolicy,
} from '../support/accessibility.ts'
import { startBrowser } from '../support/browser.ts'
import { buildCheckout } from '../support/checkout.ts'
import { EXPIRES_AT } from '../support/factories.ts'
import { buildReactExample, bundleMerchantScript } from '../support/merchant-script.ts'
import { bundleScripts } from '../support/staged-page.ts'
import { CHECKOUT, CHOSEN, OTHER_SHOP, SHOP, stageShop } from '../support/staged-shop.ts'

const NOW = new Date(EXPIRES_AT.getTime() - 20 * 60_000)
const SEEN = buildCheckout({}, { awaited: [{ network: 'base', blocksSeen: 1, blocksRequired: 12 }] })
const PAID = buildCheckout({
  ...{ status: 'confirmed', paidWith: ['USDC/base'], receivedAtto: atto(10n ** 19n) },
  redirectUrl: `${SHOP}/thanks`,
})

/** Number of presses of Tab, more than the dialog and the page in its frame have focusable elements. */
const MAX_STOPS = 60

describe('a merchant’s page with checkout.js, in a browser', function () {
  this.timeout(240_000)
  let browser: Browser
  let scripts: ScriptBundles
  let merchantScript: string
  let context: BrowserContext
  let page: Page
  let shop: Awaited<ReturnType<typeof stageShop>>

  before(async () => {
    ;[browser, scripts, merchantScript] = await Promise.all([
      startBrowser(),
      bundleScripts(),
      bundleMerchantScript(),
    ])
  })
  afterEach(() => context?.close())
  after(() => browser?.close())

  const open = async (origin = SHOP, options: Parameters<Browser['newContext']>[0] = {}) => {
    context = await browser.newContext({ viewport: { width: 390, height: 800 }, ...options })
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    shop = await stageShop(page, { scripts, merchantScript, now: () => NOW })
    await page.goto(`${origin}/`)
  }
  const payLink = () => page.getByRole('link', { name: 'Pay', exact: true })
  const dialog = () => page.getByRole('dialog', { name: 'Payment' })
  const closeButton = () => page.getByRole('button', { name: 'Close' })
  const framed = () => page.frames().find((one) => one !== page.mainFrame()) ?? page.mainFrame()
  const openDialog = async () => {
    await open()
    await payLink().click()
    await untilEvents('opened')
  }
  const untilEvents = (...types: readonly string[]) => shop.untilEvents(...types)
  const focused = () =>
    page.evaluate<string>(
      "document.activeElement.getAttribute('aria-label') ?? (document.activeElement.title || document.activeElement.textContent)",
    )

  it('shows the checkout in a dialog and receives its events in order, each once', async () => {
    await openDialog()
    await framed().evaluate("location.search = '?token=USDC&network=bnb'")
    await framed().waitForURL('**/*bnb')
    shop.show(SEEN)
    await untilEvents('opened', 'seen')
    shop.show(PAID)
    await untilEvents('opened', 'seen', 'paid')
    await closeButton().click()
    await untilEvents('opened', 'seen', 'paid', 'closed')
    expect(await dialog().count()).to.equal(0)
    expect(page.url()).to.equal(`${SHOP}/`)
  })

  it('calls the handler of the documentation’s React component once, when the payment is confirmed', async () => {
    await open()
    await page.evaluate(await buildReactExample(shop.url(CHOSEN)))
    await payLink().click()
    await untilEvents('opened')
    shop.show(SEEN)
    await untilEvents('opened', 'seen')
    expect(await page.evaluate('paidCalls')).to.equal(0)
    shop.show(PAID)
    await untilEvents('opened', 'seen', 'paid')
    expect(await page.evaluate('paidCalls')).to.equal(1)
    await page.evaluate("unmount(); document.querySelector('a').dispatchEvent(new Event('checkout:paid'))")
    expect(await page.evaluate('paidCalls'), 'after the component was removed').to.equal(1)
  })

  it('receives every event of a charge that was paid before the dialog opened', async () => {
    await open()
    shop.show(PAID)
    await payLink().click()
    await untilEvents('opened', 'seen', 'paid')
  })

  it('replaces itself with the checkout if it may not embed the checkout', async () => {
    await open(OTHER_SHOP)
    await payLink().click()
    await page.waitForURL(shop.url(CHOSEN))
    await page.goBack()
    expect(await dialog().count()).to.equal(0)
  })

  it('replaces itself with the checkout if the frame has not loaded after twenty seconds', async () => {
    await open()
    await page.clock.install()
    const release = shop.hold()
    const isRequested = page.waitForRequest(shop.url(CHOSEN))
    await payLink().click()
    await isRequested
    await page.clock.runFor(20_000)
    await page.waitForURL(shop.url(CHOSEN))
    release()
  })

  it('closes an open dialog before it opens another', async () => {
    await openDialog()
    await page.evaluate(`void openCheckout('${shop.url()}')`)
    await untilEvents('opened', 'closed')
    expect(await page.locator('dialog').count()).to.equal(1)
  })

  describe('ignores messages', () => {
    const forge = (target: string, shape: unknown) => `${target}.postMessage(${JSON.stringify(shape)}, '*')`
    const PAID_MESSAGE = { type: 'checkout:paid' }

    it('from another window, even if it has the checkout’s origin', async () => {
      await openDialog()
      const other = page.waitForEvent('frameattached')
      await page.evaluate("document.body.append(document.querySelector('iframe').cloneNode())")
      await (await other).waitForURL(`${CHECKOUT}/**`)
      await (await other).evaluate(forge('parent', PAID_MESSAGE))
      await page.evaluate(forge('window', PAID_MESSAGE))
      await expectIgnored(2)
    })

    it('from another origin, even in its own frame', async () => {
      await openDialog()
      await framed().goto(`${OTHER_SHOP}/`)
      await framed().evaluate(forge('parent', PAID_MESSAGE))
      await expectIgnored(1)
    })

    it('of another type or shape', async () => {
      await openDialog()
      const types = [null, 'paid', 'checkout:', 'checkout:toString', 'checkout:hello', ['checkout:paid']]
      const shapes = [null, 'checkout:paid', ['checkout:paid'], {}, ...types.map((type) => ({ type }))]
      for (const shape of shapes) await framed().evaluate(forge('parent', shape))
      await expectIgnored(shapes.length)
    })

    /** Expects that `count` messages arrived after the first message, `checkout:opened`, and had no effect. */
    async function expectIgnored(count: number): Promise<void> {
      const areThere = async () => (await shop.messages()).length === 1 + count
      await waitFor(areThere, { what: 'the forged messages', timeoutMs: 60_000 })
      await closeButton().click()
      await untilEvents('opened', 'closed')
    }
  })

  it('sends `checkout:hello` only to the checkout in its frame', async () => {
    await openDialog()
    await framed().goto(`${OTHER_SHOP}/`)
    await framed().evaluate('new Promise((resolve) => { onmessage = resolve; postMessage(1) })')
    expect(await framed().evaluate('messages')).to.deep.equal([1])
  })

  describe('by keyboard', () => {
    it('moves the focus into the dialog, keeps it there, and moves it back when Escape closes the dialog', async () => {
      await open()
      await payLink().focus()
      await page.keyboard.press('Enter')
      await untilEvents('opened')
      expect(await focused()).to.equal('Close')
      const reached = new Set<string>()
      for (let stop = 0; stop < MAX_STOPS; stop += 1) {
        await page.keyboard.press('Tab')
        reached.add(await focused())
      }
      expect([...reached])
        .to.include.members(['Close', 'Payment'])
        .and.not.include.members(['Pay'])
      await closeButton().focus()
      await page.keyboard.press('Escape')
      await untilEvents('opened', 'closed')
      expect(await focused()).to.equal('Pay')
    })

    it('closes the dialog when Escape is pressed inside the frame, and moves the focus back', async () => {
      await openDialog()
      await framed().locator('a:visible').first().focus()
      expect(await focused()).to.equal('Payment')
      await page.keyboard.press('Escape')
      await untilEvents('opened', 'closed')
      expect(await focused()).to.equal('Pay')
    })
  })

  it('does not scroll behind the open dialog, and scrolls again after the dialog is closed', async () => {
    await openDialog()
    await page.mouse.move(200, 20)
    await page.mouse.wheel(0, 500)
    await page.keyboard.press('End')
    expect(await page.evaluate('scrollY')).to.equal(0)
    await closeButton().click()
    await untilEvents('opened', 'closed')
    await page.keyboard.press('End')
    // Not `waitForFunction`, because the page's content security policy forbids its repeated evaluation of a string.
    const hasScrolled = async () => ((await page.evaluate('scrollY')) as number) > 0
    await waitFor(hasScrolled, { what: 'the page to scroll', timeoutMs: 30_000 })
  })

  it('is accessible in both themes, on phones and desktops, in the language of the merchant’s page', async () => {
    await openDialog()
    const refused = watchPolicy(page)
    for (const look of filterAppearances(listAppearances(['']), 'checkout in a dialog')) {
      await setAppearance(page, look)
      await expectAccessible(page, { screen: 'checkout in a dialog', look, refused })
    }
    await closeButton().click()
    await page.evaluate("document.documentElement.lang = 'de-AT'")
    await payLink().click()
    await page.getByRole('dialog', { name: 'Zahlung' }).getByRole('button', { name: 'Schließen' }).waitFor()
  })

  it('lets the framed page write to the clipboard, and sends it no referrer', async () => {
    await openDialog()
    const attributes = await page.evaluate(
      "(({ allow, referrerPolicy, src }) => [allow, referrerPolicy, src])(document.querySelector('iframe'))",
    )
    expect(attributes).to.deep.equal(['clipboard-write', 'no-referrer', shop.url(CHOSEN)])
  })

  describe('does not intercept a click on a link', () => {
    it('if the link leads elsewhere', async () => {
      await open()
      for (const url of [`${OTHER_SHOP}/`, `${CHECKOUT}/elsewhere`, `${SHOP}/pay/ch_1`]) {
        await page.goto(`${SHOP}/`)
        await page.evaluate(`document.querySelector('[data-checkout]').href = '${url}'`)
        await payLink().click()
        await page.waitForURL(url)
      }
    })

    it('if the payer opens the link in another tab or window, or the merchant’s page has handled the click', async () => {
      await open()
      // This listener runs after the listener of `checkout.js`.
      await page.evaluate(
        'addEventListener("click", (event) => { received.push(event.defaultPrevented); event.preventDefault() })',
      )
      for (const key of ['Control', 'Meta', 'Shift', 'Alt'] as const)
        await payLink().click({ modifiers: [key] })
      expect(await shop.received()).to.deep.equal([false, false, false, false])
      await page.evaluate(
        "document.querySelector('main').addEventListener('click', (event) => event.preventDefault())",
      )
      await payLink().click()
      expect(await dialog().count()).to.equal(0)
    })
  })

  describe('without JavaScript', () => {
    it('links to the checkout in the same tab or in a new tab', async () => {
      await open(SHOP, { javaScriptEnabled: false })
      await payLink().click()
      await page.waitForURL(shop.url(CHOSEN))
      await page.goto(`${SHOP}/?target=_blank`)
      const isOpened = context.waitForEvent('page')
      await payLink().click()
      await (await isOpened).waitForURL(shop.url(CHOSEN))
    })
  })

  describe('with the function openCheckout', () => {
    const call = (url: string) =>
      page.evaluate<string>(`(() => {
        try {
          globalThis.close = openCheckout('${url}', (type) => received.push(type))
          return 'opened'
        } catch (error) { return error.name }
      })()`)

    it('opens the checkout, reports its events, closes the dialog, and moves the focus back', async () => {
      await open()
      await payLink().focus()
      expect(await call(shop.url())).to.equal('opened')
      const hasOpened = async () => (await shop.received()).includes('opened')
      await waitFor(hasOpened, { what: 'the event `opened`', timeoutMs: 60_000 })
      await page.evaluate('close()')
      await page.evaluate('close()')
      expect(await shop.received()).to.deep.equal(['opened', 'closed'])
      expect(await page.locator('dialog').count()).to.equal(0)
      expect(await focused()).to.equal('Pay')
    })

    it('rejects a URL that is not a page of the checkout', async () => {
      await open()
      for (const url of ['javascript:1', `${OTHER_SHOP}/`, `${CHECKOUT}.other.example/pay/`, `${CHECKOUT}/`])
        expect(await call(url), url).to.equal('TypeError')
    })
  })

  describe('receives from the framed page', () => {
    /** Loads the checkout without a frame, so that it is its own parent. Returns its messages to the parent. */
    const answer = async ({ source, origin }: { source: string; origin: string }) => {
      await page.goto(shop.url())
      await page.locator('html.scripted').waitFor()
      const data = "{ type: 'checkout:hello' }"
      return page.evaluate<readonly unknown[]>(`(() => {
        const sent = []
        window.postMessage = (message, target) => sent.push([message, target])
        dispatchEvent(new MessageEvent('message', { source: ${source}, origin: '${origin}', data: ${data} }))
        dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))
        return sent
      })()`)
    }

    it('reports that are sent only to the merchant’s origin and do not contain the charge', async () => {
      await open()
      const reports = ['checkout:opened', 'checkout:close'].map((type) => [{ type }, SHOP])
      expect(await answer({ source: 'window', origin: SHOP })).to.deep.equal(reports)
    })

    it('no report if it is not allowed to embed the page, or is not the page’s parent', async () => {
      await open()
      expect(await answer({ source: 'window', origin: OTHER_SHOP })).to.deep.equal([])
      expect(await answer({ source: 'null', origin: SHOP })).to.deep.equal([])
    })
  })

  it('keeps the dialog open after the payment, although an unframed checkout would redirect to the merchant', async () => {
    await open()
    await page.clock.install()
    await payLink().click()
    await untilEvents('opened')
    await framed().evaluate('globalThis.isSamePage = true')
    shop.show(PAID)
    await untilEvents('opened', 'seen', 'paid')
    await framed().locator('#return a').waitFor()
    // An unframed checkout redirects after ten seconds.
    await page.clock.runFor(30_000)
    expect(await framed().getByText('Returning in').count()).to.equal(0)
    expect(await framed().evaluate('globalThis.isSamePage')).to.equal(true)
    expect([page.url(), await dialog().count()]).to.deep.equal([`${SHOP}/`, 1])
    await framed().locator('#return a').click()
    await page.waitForURL(`${SHOP}/thanks`)
  })
})
