import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { ScriptBundles } from '../../api/checkout/page-script.ts'
import { atto } from '../../shared/domain/money.ts'
import { startBrowser } from '../support/browser.ts'
import { buildCheckout } from '../support/checkout.ts'
import { EXPIRES_AT } from '../support/factories.ts'
import { injectWallet } from '../support/fake-wallet.ts'
import { bundleScripts, type StagedPage, stagePage } from '../support/staged-page.ts'

const PAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const NOW = new Date(EXPIRES_AT.getTime() - 20 * 60_000)
/** More presses of Tab than any page has focusable elements. */
const MAX_STOPS = 60

describe('the checkout by keyboard only, in a browser', function () {
  this.timeout(240_000)
  let browser: Browser
  let scripts: ScriptBundles
  let context: BrowserContext
  let page: Page
  let stage: StagedPage

  before(async () => {
    ;[browser, scripts] = await Promise.all([startBrowser(), bundleScripts()])
  })
  beforeEach(async () => {
    context = await browser.newContext({
      viewport: { width: 390, height: 800 },
      permissions: ['clipboard-write'],
    })
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    await injectWallet(page, {
      ...{ chains: { 8453: async () => `0x${'ab'.repeat(32)}` }, chainId: 8453, accounts: [PAYER] },
    })
    stage = await stagePage(page, { scripts, first: buildCheckout(), now: () => NOW })
  })
  afterEach(() => context?.close())
  after(() => browser?.close())

  const title = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
  /** Returns the name of the focused element and the style of its outline. */
  const focused = () =>
    page.evaluate<{ name: string; outline: string }>(`(() => {
      const { activeElement: at } = document
      const name = at.getAttribute('aria-label') ?? at.textContent.trim()
      return { name, outline: at === document.body ? '' : getComputedStyle(at).outlineStyle }
    })()`)
  /** Presses Tab until the named element has the focus. Every focused element must have a visible outline. */
  const tabTo = async (name: string) => {
    const reached: string[] = []
    for (let stop = 0; stop < MAX_STOPS; stop += 1) {
      await page.keyboard.press('Tab')
      const at = await focused()
      expect(at.outline, `the focus on ${at.name}`).not.to.equal('none')
      if (at.name === name) return
      reached.push(at.name)
    }
    expect.fail(`the Tab key does not reach ${name}, but ${reached.join(', ')}`)
  }

  it('lets the payer change the pair and pay with a wallet', async () => {
    await page.goto(stage.url())
    const chosen = (pair: string) => page.locator('summary.method b', { hasText: pair }).waitFor()
    await tabTo('10.00 USDC on Base: Change')
    await page.keyboard.press('Enter')
    await tabTo('$BnUSDC on BNB Smart Chain')
    await page.keyboard.press('Enter')
    await chosen('USDC on BNB Smart Chain')
    await tabTo('10.00 USDC on BNB Smart Chain: Change')
    await page.keyboard.press('Enter')
    await tabTo('$BaUSDC on Base')
    await page.keyboard.press('Enter')
    await chosen('USDC on Base')
    await page.getByRole('button', { name: 'Pay 10.00 USDC with Test Wallet', exact: true }).waitFor()
    await tabTo('Pay 10.00 USDC with Test Wallet')
    await page.keyboard.press('Enter')
    await title('Sent from your wallet')
  })

  it('announces a copied address and keeps the focus while the page changes', async () => {
    await page.goto(stage.url('token=USDC&network=base&way=scan'))
    await title('10.00 USD')
    await tabTo('Copy: To address')
    await page.keyboard.press('Space')
    await page.locator('[role=status]', { hasText: 'Copied: To address' }).waitFor({ state: 'attached' })
    stage.show(buildCheckout({ status: 'partially_paid', receivedAtto: atto(4n * 10n ** 18n) }))
    await title('6.00 USD left to pay')
    expect((await focused()).name).to.equal('Copy: To address')
  })
})
