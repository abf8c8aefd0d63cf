import { expect } from 'chai'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { LANGUAGES } from '../../api/checkout/languages.ts'
import type { ScriptBundles } from '../../api/checkout/page-script.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { startBrowser } from '../support/browser.ts'
import { buildCheckout } from '../support/checkout.ts'
import { EXPIRES_AT } from '../support/factories.ts'
import { measureFirstLoad } from '../support/first-load.ts'
import { countTaps, PHONE } from '../support/phone.ts'
import { bundleScripts, type StagedPage, stagePage } from '../support/staged-page.ts'

/** Maximum distance from the top of the page to the QR code, in CSS pixels. */
const MAX_CODE_TOP = 400

const NOW = new Date(EXPIRES_AT.getTime() - 20 * 60_000)
const IS_PAINTED = "performance.getEntriesByName('first-contentful-paint').length > 0"
const METAMASK = 'https://link.metamask.io/dapp/'

describe('the checkout on a phone without a wallet in the browser', function () {
  this.timeout(240_000)
  let browser: Browser
  let scripts: ScriptBundles
  let page: Page
  let stage: StagedPage

  before(async () => {
    ;[browser, scripts] = await Promise.all([startBrowser(), bundleScripts()])
  })
  afterEach(() => page?.context().close())
  after(() => browser?.close())

  const open = async (change: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ ...PHONE, ...change })
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    stage = await stagePage(context, { scripts, first: buildCheckout(), now: () => NOW })
  }
  const boxOf = async (selector: string) =>
    (await page.locator(selector).locator('visible=true').first().boundingBox()) ??
    expect.fail(`${selector} is not shown`)

  it('shows the main button without scrolling in every language', async () => {
    await open()
    for (const language of Object.keys(LANGUAGES)) {
      await page.goto(stage.url(`lang=${language}`))
      await page.locator('html.scripted').waitFor()
      const { y, height } = await boxOf('.apps .btn')
      expect(y + height, language).to.be.at.most(PHONE.viewport.height)
    }
  })

  it('shows the top of the QR code in the upper half of the screen in every language', async () => {
    await open()
    for (const language of Object.keys(LANGUAGES)) {
      await page.goto(stage.url(`way=scan&lang=${language}`))
      expect((await boxOf('.qr')).y, language).to.be.at.most(MAX_CODE_TOP)
    }
  })

  for (const language of ['en', 'de', 'hi']) {
    it(`does not move its content when its script arrives after the first paint, in ${language}`, async () => {
      await open({ timezoneId: 'Asia/Kolkata' })
      // The script removes the date from a time of today, which shortens the text. Here every date counts as today. A
      // fixed clock would have the same effect, but would disable the browser's measurements.
      await page.addInitScript({ content: "Date.prototype.toDateString = () => 'today'" })
      await page.route('**/assets/**', async (route) => {
        await waitFor(() => page.evaluate<boolean>(IS_PAINTED), {
          what: 'the first paint',
          timeoutMs: 60_000,
        })
        await route.fallback()
      })
      const { layoutShift, moved } = await measureFirstLoad(page, stage.url(`lang=${language}`))
      expect(layoutShift, moved.join('\n')).to.be.below(0.02)
    })
  }

  for (const javaScriptEnabled of [true, false]) {
    it(`opens in a wallet with one tap, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      await open({ javaScriptEnabled })
      const taps = await countTaps(page)
      await page.goto(stage.url())
      const isOpened = page.context().waitForEvent('page')
      await page.getByRole('link', { name: 'Open in MetaMask' }).tap()
      const opened = await isOpened
      await opened.waitForURL(`${METAMASK}**`)
      expect(opened.url()).to.equal(`${METAMASK}pay.example${new URL(stage.url()).pathname}`)
      // Without JavaScript, taps cannot be counted.
      if (javaScriptEnabled) expect(await taps()).to.equal(1)
    })
  }
})
