import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { ScriptBundles } from '../../api/checkout/page-script.ts'
import type { Checkout } from '../../api/checkout/project.ts'
import { atto } from '../../shared/domain/money.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { startBrowser } from '../support/browser.ts'
import { buildCheckout } from '../support/checkout.ts'
import { EXPIRES_AT } from '../support/factories.ts'
import { injectWallet, type WalletWays } from '../support/fake-wallet.ts'
import { createPayerView, type PayerView } from '../support/payer-view.ts'
import { bundleScripts, type StagedPage, stagePage } from '../support/staged-page.ts'

const PAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const HASH = `0x${'ab'.repeat(32)}` as const
const PAID = {
  status: 'confirmed',
  paidWith: ['USDC/base'],
  receivedAtto: atto(10n * 10n ** 18n),
} as const
const NOW = new Date(EXPIRES_AT.getTime() - 20 * 60_000)

/** The page in a tab, with a simulated service of its own. */
type Tab = {
  readonly page: Page
  readonly view: PayerView
  readonly service: StagedPage
  readonly asked: readonly string[]
}

describe('the checkout in two tabs of a browser', function () {
  this.timeout(240_000)
  let browser: Browser
  let scripts: ScriptBundles
  let context: BrowserContext
  let first: Checkout
  let sent: unknown[]

  before(async () => {
    ;[browser, scripts] = await Promise.all([startBrowser(), bundleScripts()])
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 390, height: 800 } })
    first = buildCheckout()
    sent = []
  })
  afterEach(() => context?.close())
  after(() => browser?.close())

  const openTab = async (
    ways: Partial<WalletWays> = {},
    { origin = 'http://page.test' } = {},
  ): Promise<Tab> => {
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    const send = async (method: string, params: readonly unknown[]) => {
      if (method !== 'eth_sendTransaction') return null
      sent.push(params[0])
      return HASH
    }
    const wallet = { chains: { 8453: send }, chainId: 8453, accounts: [PAYER], ...ways }
    const { asked } = await injectWallet(page, wallet)
    const service = await stagePage(page, { scripts, first, now: () => NOW, origin })
    await page.goto(service.url('token=USDC&network=base'))
    const view = createPayerView(page)
    await view.payButton().or(page.locator('#sent button')).first().waitFor()
    return { page, view, service, asked }
  }
  const untilAsked = ({ asked }: Tab, method: string) =>
    waitFor(() => asked.includes(method), { what: `the wallet to receive ${method}`, timeoutMs: 60_000 })
  const click = ({ page }: Tab, name: string) => page.getByRole('button', { name }).click()
  const expectNothingAsked = ({ view }: Tab) =>
    view.expectNothingAsked({
      address: first.howToPay?.address ?? expect.fail('the checkout must have a payment address'),
    })
  const untilAddressIsShown = ({ page }: Tab) => page.locator('#how').waitFor()
  const cut = async ({ service, page }: Tab) => {
    service.cut(true)
    await page.locator('#lost').waitFor()
  }

  it('does not request a payment in any tab, even a new tab, after a payment was sent, until the payer reports a failure', async () => {
    const [one, other] = [await openTab(), await openTab()]
    await untilAddressIsShown(other)
    await one.view.payButton().click()
    for (const tab of [other, await openTab()]) {
      await tab.view.title('Sent from your wallet')
      await expectNothingAsked(tab)
    }
    await click(other, 'It failed in my wallet')
    await untilAddressIsShown(one)
  })

  it('does not request the payment in the other tab while a wallet dialog is open, but does so after the payer has declined', async () => {
    const { answer, decline } = untilDeclined()
    const [one, other] = [await openTab({ chains: { 8453: () => answer } }), await openTab()]
    await one.view.payButton().click()
    await other.view.title('Check your wallet')
    await expectNothingAsked(other)
    await cut(other)
    const untilForgotten = await watchForgetting(other)
    decline()
    await untilForgotten()
    // The first failed request might have been sent before the stored payment was deleted, so wait for two.
    for (const _ of [1, 2])
      await other.page.waitForEvent('requestfailed', (request) => request.url() === other.page.url())
    other.service.cut(false)
    await other.view.title('10.00 USD')
    await untilAddressIsShown(other)
  })

  it('does not send a request to a second wallet while a request is pending, even if the payer reports that no payment was sent', async () => {
    // Browsers support `navigator.locks` only on pages served over https.
    const safely = { origin: 'https://page.test' }
    const one = await openTab({ chains: { 8453: () => new Promise(() => undefined) } }, safely)
    const other = await openTab({}, safely)
    await one.view.payButton().click()
    await untilAsked(one, 'eth_sendTransaction')
    await click(other, 'Nothing was sent: let me pay')
    await other.view.payButton().click()
    await other.view.says('Your wallet already has an open request.')
    expect(sent).to.deep.equal([])
  })

  it('sends nothing in one tab if the other tab has sent a payment while the first tab’s wallet dialog was open', async () => {
    let connect: () => void = () => undefined
    const isConnected = new Promise<void>((resolve) => {
      connect = resolve
    })
    const [one, other] = [await openTab({ connectsAfter: isConnected }), await openTab()]
    await one.view.payButton().click()
    await untilAsked(one, 'eth_requestAccounts')
    await other.view.payButton().click()
    await one.view.title('Sent from your wallet')
    connect()
    // The wallet dialog has ended without a message.
    await one.page.locator('#wallet > [role=status]:empty').waitFor({ state: 'attached' })
    expect(sent).to.have.length(1)
  })

  it('keeps the payment of one tab when the payer declines an earlier request in the other tab', async () => {
    const { answer, decline } = untilDeclined()
    // Without locks, as on a page served over http.
    const [one, other] = [await openTab({ chains: { 8453: () => answer } }), await openTab()]
    await one.view.payButton().click()
    await untilAsked(one, 'eth_sendTransaction')
    await click(other, 'Nothing was sent: let me pay')
    await other.view.payButton().click()
    await other.view.title('Sent from your wallet')
    decline()
    await one.view.title('Sent from your wallet')
    await one.page.reload()
    await one.view.title('Sent from your wallet')
    await expectNothingAsked(one)
  })

  it('does not request a payment in a tab without a connection if the other tab has seen the payment arrive', async () => {
    const [one, other] = [await openTab(), await openTab()]
    await one.view.payButton().click()
    await other.view.title('Sent from your wallet')
    await cut(other)
    const untilForgotten = await watchForgetting(other)
    one.service.show(buildCheckout(PAID))
    await one.view.title('Paid. Thank you!')
    await untilForgotten()
    await expectNothingAsked(other)
  })

  it('deletes stored payments of paid and expired charges, and keeps at most 50 others', async () => {
    const keep = `(count, expiresAt) => {
      for (let index = 0; index < count; index += 1)
        localStorage.setItem('checkout sent ch_' + index + expiresAt, JSON.stringify({ expiresAt }))
    }`
    const { page, view, service } = await openTab()
    const later = new Date(NOW.getTime() + 1).toISOString()
    await page.evaluate(`(${keep})(3, '${NOW.toISOString()}'); (${keep})(60, '${later}')`)
    await page.reload()
    await view.payButton().click()
    await view.title('Sent from your wallet')
    service.show(buildCheckout(PAID))
    await view.title('Paid. Thank you!')
    const kept = (await page.evaluate(
      "Object.keys(localStorage).filter((key) => key.startsWith('checkout sent'))",
    )) as readonly string[]
    expect(kept).to.have.length(50)
    expect(kept.filter((key) => !key.endsWith(later))).to.deep.equal([])
  })
})

/** Returns a function that waits until another tab deletes the stored payment. */
async function watchForgetting({ page }: Tab): Promise<() => Promise<unknown>> {
  await page.evaluate(`void (globalThis.forgotten = new Promise((resolve) =>
    addEventListener('storage', ({ newValue }) => newValue === null && resolve(0))))`)
  return () => page.evaluate('forgotten')
}

/** Returns a wallet response that rejects when `decline` is called. */
function untilDeclined(): { readonly answer: Promise<never>; readonly decline: () => void } {
  let decline: () => void = () => undefined
  const answer = new Promise<never>((_, reject) => {
    decline = () => reject(Object.assign(new Error('User rejected the request.'), { code: 4001 }))
  })
  return { answer, decline: () => decline() }
}
