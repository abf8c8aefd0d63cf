import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { ScriptBundles } from '../../api/checkout/page-script.ts'
import type { Checkout } from '../../api/checkout/project.ts'
import type { PageTransfer } from '../../shared/db/chain-facts/page-transfers.ts'
import { atto } from '../../shared/domain/money.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { startBrowser } from '../support/browser.ts'
import { buildCheckout } from '../support/checkout.ts'
import { EXPIRES_AT } from '../support/factories.ts'
import { type FakeWallet, injectWallet, type WalletWays } from '../support/fake-wallet.ts'
import {
  bundleScripts,
  STREAM_THAT_STAYS,
  type StagedPage,
  sendByStream,
  stagePage,
} from '../support/staged-page.ts'

const BASE = 'token=USDC&network=base'
const BNB = 'token=USDC&network=bnb'
const PAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const OTHER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const HASH = `0x${'ab'.repeat(32)}` as const
const OTHERS_HASH = `0x${'cd'.repeat(32)}` as const
const dollarsOf = (amount: bigint) => atto(amount * 10n ** 18n)
const PAID = { status: 'confirmed', paidWith: ['USDC/base'], receivedAtto: dollarsOf(10n) } as const
const SEEN = { network: 'base', blocksSeen: 1, blocksRequired: 12 } as const
const ON_ITS_WAY: PageTransfer = {
  ...{ chargeId: 'ch_one', kind: 'seen', chainId: 8453, txHash: OTHERS_HASH, token: 'USDC' },
  ...{
    ...SEEN,
    amountAtto: dollarsOf(4n),
    kindAtto: dollarsOf(4n),
    isCredited: false,
    blockTimestamp: null,
    blockTimeMs: 2000,
  },
}
const NOW = new Date(EXPIRES_AT.getTime() - 20 * 60_000)

describe('the script of the checkout page', function () {
  this.timeout(240_000)
  let browser: Browser
  let scripts: ScriptBundles
  let context: BrowserContext
  let page: Page
  let stage: StagedPage
  let sent: readonly unknown[]

  before(async () => {
    ;[browser, scripts] = await Promise.all([startBrowser(), bundleScripts()])
  })
  beforeEach(async () => {
    context = await browser.newContext({
      viewport: { width: 390, height: 800 },
      permissions: ['clipboard-write'],
    })
    page = await context.newPage()
    // Only prevents hanging; generous for a busy machine.
    page.setDefaultTimeout(60_000)
  })
  afterEach(() => context?.close())
  after(() => browser?.close())

  const open = async (query = BASE, first: Checkout = buildCheckout()) => {
    stage = await stagePage(page, { scripts, first, now: () => NOW })
    await page.goto(stage.url(query))
  }
  /** Opens a page whose stream sends only the test's events. The page's clock is stopped, so that it does not poll. */
  const openWithStream = async (): Promise<Checkout> => {
    await page.addInitScript({ content: STREAM_THAT_STAYS })
    await page.clock.install()
    const first = buildCheckout()
    await open(BASE, first)
    await title('10.00 USD')
    // The clock advances by more than any pause of the machine, and by less than the poll interval.
    await page.clock.pauseAt(new Date(Date.now() + 45_000))
    return first
  }
  const tellStream = (state: object) => sendByStream(page, state)
  const wallet = async (change: Partial<WalletWays> = {}): Promise<FakeWallet> => {
    const found: unknown[] = []
    sent = found
    const chain = async (method: string, params: readonly unknown[]) => {
      if (method !== 'eth_sendTransaction') return null
      found.push(params[0])
      return HASH
    }
    const accounts = [PAYER, OTHER]
    return injectWallet(page, { chains: { 8453: chain, 56: chain }, chainId: 8453, accounts, ...change })
  }
  /** Keeps the page open when it redirects to `url`. Returns a function that checks whether the page has redirected. */
  const leadNowhere = async (url: string): Promise<() => boolean> => {
    let isAsked = false
    await page.route(url, (route) => {
      isAsked = true
      return route.fulfill({ status: 204 })
    })
    return () => isAsked
  }
  const says = (text: string | RegExp) => page.getByText(text).first().waitFor()
  const title = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
  const steps = () => page.locator('#wallet .steps li').allInnerTexts()
  const payButton = () => page.getByRole('button', { name: 'Pay 10.00 USDC with Test Wallet', exact: true })

  it('immediately explains how to open the page in a wallet if an in-app browser has no wallet', async () => {
    const userAgent =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Instagram 350.0'
    const phone = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true }
    const isShown = () => page.getByText('Link to this page').isVisible()
    const openOn = async (options: Parameters<Browser['newContext']>[0]) => {
      await context.close()
      context = await browser.newContext({ ...phone, ...options })
      page = await context.newPage()
      page.setDefaultTimeout(60_000)
    }
    await openOn({ userAgent })
    await open()
    await says('Link to this page')
    await openOn({ userAgent })
    await wallet()
    await open()
    await payButton().waitFor()
    expect(await isShown(), 'with a wallet').to.equal(false)
    await openOn({})
    await open()
    await page.locator('html.scripted').waitFor()
    expect(await isShown(), 'in another browser').to.equal(false)
  })

  describe('keeps the page live:', () => {
    it('it shows every change of the charge until the charge is paid', async () => {
      await open()
      await title('10.00 USD')
      stage.show(buildCheckout({}, { awaited: [SEEN] }))
      await title('We can see your payment')
      stage.show(buildCheckout({ status: 'partially_paid', receivedAtto: dollarsOf(4n) }))
      await title('6.00 USD left to pay')
      stage.show(buildCheckout(PAID))
      await title('Paid. Thank you!')
      expect(await page.title()).to.equal('Paid. Thank you!')
    })

    it('it refreshes after an event of its stream, but not if it already shows the state in that event', async () => {
      const first = await openWithStream()
      const loaded: string[] = []
      page.on('request', (request) => loaded.push(request.url()))
      await tellStream(first)
      // A request would be recorded when it starts, so one round trip to the page is enough.
      await page.evaluate('0')
      expect(loaded).to.deep.equal([])
      stage.show(buildCheckout(PAID))
      await tellStream({ ...buildCheckout(PAID), id: first.id })
      await title('Paid. Thank you!')
      expect(loaded).to.deep.equal([stage.url(BASE)])
    })

    it('it shows a notice while live updates are interrupted, and removes the notice afterwards', async () => {
      await open()
      await title('10.00 USD')
      stage.cut(true)
      await says(/Live updates are interrupted/)
      stage.show(buildCheckout(PAID))
      stage.cut(false)
      await title('Paid. Thank you!')
      expect(await page.getByText(/Live updates/).count()).to.equal(0)
    })

    it('it keeps the notice about live updates while it polls, until its stream sends an event again', async () => {
      const first = await openWithStream()
      await page.evaluate("stream.dispatchEvent(new Event('error'))")
      await page.locator('#lost').waitFor()
      const rest = {
        ...buildCheckout({ status: 'partially_paid', receivedAtto: dollarsOf(4n) }),
        id: first.id,
      }
      stage.show(rest)
      await page.clock.runFor(20_000)
      await title('6.00 USD left to pay')
      expect(await page.locator('#lost').count()).to.equal(1)
      await page.evaluate("stream.dispatchEvent(new Event('open'))")
      await tellStream(rest)
      await page.locator('#lost').waitFor({ state: 'detached' })
    })

    it('it works in a browser that blocks storage', async () => {
      const content = `Object.defineProperty(window, 'localStorage', { get() { throw new Error('refused') } })`
      await page.addInitScript({ content })
      await open()
      await title('10.00 USD')
      stage.show(buildCheckout(PAID))
      await title('Paid. Thank you!')
    })

    it('the page reloads periodically if the script fails', async () => {
      await page.clock.install()
      const broken = 'throw new Error("broken")'
      stage = await stagePage(page, {
        scripts: { ...scripts, pages: { ...scripts.pages, checkout: broken } },
        first: buildCheckout(),
        now: () => NOW,
      })
      await page.goto(stage.url(BASE))
      await title('10.00 USD')
      stage.show(buildCheckout(PAID))
      await page.clock.runFor(21_000)
      await title('Paid. Thank you!')
    })

    it('the page reloads if a wallet needs a wider content security policy than the page was opened with', async () => {
      const onTron = { family: 'tron', acceptedPayments: ['USDT/tron'] } as const
      await open('', buildCheckout({ ...onTron }, { awaited: [{ ...SEEN, network: 'tron' }] }))
      await title('We can see your payment')
      stage.show(buildCheckout({ ...onTron }))
      await title('10.00 USD')
      const isReloaded = () =>
        page.evaluate("performance.getEntriesByType('navigation')[0].type === 'reload'")
      await waitFor(isReloaded, { what: 'the page to be reloaded', timeoutMs: 60_000 })
    })

    it('it moves no heading or link when it shows the notice about live updates', async () => {
      await openWithStream()
      const places = () =>
        page.evaluate("[...document.querySelectorAll('h1, a')].map((one) => one.getBoundingClientRect().top)")
      const before = await places()
      expect(before).to.have.length.above(2)
      await page.evaluate("stream.dispatchEvent(new Event('error'))")
      await page.locator('#lost').waitFor()
      expect(await places()).to.deep.equal(before)
    })

    it('it keeps the payer’s input and focus', async () => {
      await open()
      await page.getByText('I have paid, but nothing shows here').click()
      await page.getByLabel('Transaction hash').fill('0x12')
      stage.show(buildCheckout({ status: 'partially_paid', receivedAtto: dollarsOf(4n) }))
      await title('6.00 USD left to pay')
      expect(await page.getByLabel('Transaction hash').inputValue()).to.equal('0x12')
      expect(await page.evaluate('document.activeElement.id')).to.equal('tx')
    })

    it('it counts down and redirects to the merchant after the payment if the payer was watching', async () => {
      const redirectUrl = 'http://page.test/shop'
      await open(BASE, buildCheckout({ redirectUrl }))
      const hasLeft = await leadNowhere(redirectUrl)
      await title('10.00 USD')
      stage.show(buildCheckout({ ...PAID, redirectUrl }))
      await says(/Returning in \d+ seconds/)
      await waitFor(hasLeft, { what: 'the redirect to the merchant', timeoutMs: 60_000 })
    })

    it('it does not redirect after an overpayment', async () => {
      const redirectUrl = 'http://page.test/shop'
      await page.clock.install()
      await open(BASE, buildCheckout({ redirectUrl }))
      const hasLeft = await leadNowhere(redirectUrl)
      await title('10.00 USD')
      stage.show(buildCheckout({ ...PAID, redirectUrl, receivedAtto: dollarsOf(12n) }))
      await title('Paid. Thank you!')
      await page.clock.runFor(30_000)
      expect(await page.getByText('You sent 2.00 USD more than needed.').isVisible()).to.equal(true)
      expect([hasLeft(), await page.getByText('Returning in').count()]).to.deep.equal([false, 0])
    })

    it('it shows below the page that the payer is offline and must not pay again', async () => {
      const first = await openWithStream()
      await context.setOffline(true)
      await page.locator('#lost', { hasText: 'You are offline' }).waitFor()
      await page.locator('#lost', { hasText: 'If you have already paid, do not pay again.' }).waitFor()
      const isBelow = `document.querySelector('#lost').getBoundingClientRect().top >=
        document.querySelector('footer').getBoundingClientRect().bottom`
      await page.mouse.wheel(0, 5000)
      await waitFor(() => page.evaluate<boolean>(isBelow), {
        what: 'the notice to be below the page',
        timeoutMs: 30_000,
      })
      // The page must ignore an event that arrives late, because it does not prove a connection.
      await tellStream(first)
      expect(await page.locator('#lost').isVisible()).to.equal(true)
      stage.show(buildCheckout({ status: 'partially_paid', receivedAtto: dollarsOf(4n) }))
      await context.setOffline(false)
      await title('6.00 USD left to pay')
      await page.locator('#lost').waitFor({ state: 'detached' })
      await context.setOffline(true)
      await page.locator('#lost', { hasText: 'You are offline' }).waitFor()
    })

    it('it does not redirect if the payer chooses to stay, or if the charge was paid earlier', async () => {
      const redirectUrl = 'http://page.test/shop'
      await open(BASE, buildCheckout({ redirectUrl }))
      await leadNowhere(redirectUrl)
      await title('10.00 USD')
      stage.show(buildCheckout({ ...PAID, redirectUrl }))
      await page.getByRole('button', { name: 'Stay here' }).click()
      expect(await page.getByText(/Returning in/).count()).to.equal(0)
      await page.reload()
      await title('Paid. Thank you!')
      expect(await page.getByText(/Returning in/).count()).to.equal(0)
    })
  })

  it('copies a value and announces it', async () => {
    await open(`${BASE}&way=scan`)
    await page.getByRole('button', { name: 'Copy: To address' }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    await page.locator('[role=status]', { hasText: 'Copied: To address' }).waitFor({ state: 'attached' })
  })

  describe('pays by a wallet:', () => {
    it('it sends the service’s transaction once, and requests a check of its hash', async () => {
      await wallet()
      const first = buildCheckout()
      await open(BASE, first)
      await payButton().click()
      await says('Please do not send it again.')
      const transfer = first.howToPay?.payments[0]?.transfer
      expect(sent).to.deep.equal([{ from: PAYER, chainId: '0x2105', ...transfer }])
      await waitFor(() => stage.checks.length > 0, { what: 'a check of the page', timeoutMs: 60_000 })
      expect(stage.checks[0]).to.deep.equal({ txHash: HASH, network: 'base' })
    })

    it('it does not request a second payment, even after a reload, until the payer reports a failure', async () => {
      await wallet()
      const first = buildCheckout()
      await open(BASE, first)
      await payButton().click()
      await says('Please do not send it again.')
      await page.reload()
      await says(HASH)
      expect(await page.locator('#how').isVisible()).to.equal(false)
      await page.getByRole('button', { name: 'It failed in my wallet' }).click()
      expect(await page.locator('#how').isVisible()).to.equal(true)
    })

    it('it does not request a second payment if it is reloaded before the wallet responds', async () => {
      const { asked } = await wallet({ chains: { 8453: () => new Promise(() => undefined) } })
      const first = buildCheckout()
      await open(BASE, first)
      await payButton().click()
      const isAsked = () => asked.includes('eth_sendTransaction')
      await waitFor(isAsked, { what: 'a request to the wallet', timeoutMs: 60_000 })
      await page.reload()
      await title('Check your wallet')
      expect(await page.locator('#how').isVisible()).to.equal(false)
      await page.getByRole('button', { name: 'Nothing was sent: let me pay' }).click()
      expect(await page.locator('#how').isVisible()).to.equal(true)
    })

    it('it sends nothing while it cannot read the current state', async () => {
      await wallet()
      await open()
      await payButton().waitFor()
      stage.cut(true)
      await payButton().click()
      await page.locator('#wallet [role=status]', { hasText: 'so nothing was sent' }).waitFor()
      expect(sent).to.deep.equal([])
    })

    it('it requests the remaining amount after its payment has arrived and was too small', async () => {
      await wallet()
      await open()
      await payButton().click()
      await says('Please do not send it again.')
      const rest = buildCheckout({ status: 'partially_paid', receivedAtto: dollarsOf(4n), txHash: HASH })
      stage.show(rest)
      await title('6.00 USD left to pay')
      await page.locator('#how').waitFor()
    })

    it('it does not request the remaining amount while its own payment is pending, even if another payment has arrived', async () => {
      await wallet()
      await open()
      await payButton().click()
      await says('Please do not send it again.')
      const rest = buildCheckout({
        status: 'partially_paid',
        receivedAtto: dollarsOf(4n),
        txHash: OTHERS_HASH,
      })
      stage.show(rest)
      const isShown = async () => (await page.title()) === '6.00 USD left to pay'
      await waitFor(isShown, { what: 'the page to read the new state', timeoutMs: 60_000 })
      await title('Sent from your wallet')
      expect(await page.locator('#how').isVisible()).to.equal(false)
    })

    it('it requests the remaining amount only once its own payment is seen, even if another payment is seen', async () => {
      await wallet()
      await open()
      await payButton().click()
      await says('Please do not send it again.')
      const own = { ...ON_ITS_WAY, txHash: HASH }
      const part = { awaited: [SEEN], seen: dollarsOf(4n) }
      stage.show(buildCheckout({}, { ...part, transfers: [ON_ITS_WAY] }))
      const isShown = async () => (await page.title()) === '6.00 USD left to pay'
      await waitFor(isShown, { what: 'the page to read the state with the other payment', timeoutMs: 60_000 })
      await title('Sent from your wallet')
      const rest = buildCheckout({}, { ...part, transfers: [ON_ITS_WAY, own] })
      stage.show(rest)
      await title('6.00 USD left to pay')
      await page.locator('#how').waitFor()
    })

    it('it keeps the message about the sent payment, and its button, through updates of the page', async () => {
      await wallet()
      await open()
      await payButton().click()
      await says('Please do not send it again.')
      const button = await page.getByRole('button', { name: 'It failed in my wallet' }).elementHandle()
      for (const _ of [1, 2]) await page.waitForResponse((response) => response.url() === stage.url(BASE))
      expect(await button?.isVisible()).to.equal(true)
    })

    it('it does not request a second payment after a wallet error that leaves the outcome unknown', async () => {
      await wallet({ fails: { code: -32603, message: 'The link is gone' } })
      const first = buildCheckout()
      await open(BASE, first)
      await payButton().click()
      await title('Check your wallet')
      await says(/The link is gone/)
      expect(await page.locator('#how').isVisible()).to.equal(false)
      await page.reload()
      await title('Check your wallet')
      await says(/The link is gone/)
    })

    /** Clicks the pay button. Returns a function that approves the connection in the wallet's dialog. */
    async function openWalletDialog(): Promise<() => void> {
      let connect: () => void = () => undefined
      const isConnected = new Promise<void>((resolve) => {
        connect = resolve
      })
      const { asked } = await wallet({ connectsAfter: isConnected })
      await open()
      await payButton().click()
      const isAsked = () => asked.includes('eth_requestAccounts')
      await waitFor(isAsked, { what: 'a request to the wallet', timeoutMs: 60_000 })
      return connect
    }

    it('it sends nothing if the code that talks to wallets cannot be loaded, and reloads the page once', async () => {
      const { asked } = await wallet()
      await open()
      await page.route('**/payment-en.js', (route) => route.fulfill({ status: 404 }))
      const isLoadedAgain = page.waitForEvent('load')
      await payButton().click()
      await isLoadedAgain
      await payButton().click()
      await page.getByText('Nothing was sent from this page.').waitFor()
      expect([asked, sent]).to.deep.equal([[], []])
    })

    it('it sends nothing if a part arrives while the wallet dialog is open, because the remaining amount has changed', async () => {
      const connect = await openWalletDialog()
      stage.show(buildCheckout({ status: 'partially_paid', receivedAtto: dollarsOf(4n) }))
      await title('6.00 USD left to pay')
      connect()
      // The wallet dialog has ended without a message.
      await page.locator('#wallet > [role=status]:empty').waitFor({ state: 'attached' })
      expect(sent).to.deep.equal([])
    })

    it('it sends nothing if a part is seen while the wallet dialog is open, because the amount due has changed', async () => {
      const connect = await openWalletDialog()
      stage.show(buildCheckout({}, { awaited: [SEEN], seen: dollarsOf(4n) }))
      await title('6.00 USD left to pay')
      connect()
      await page.locator('#wallet > [role=status]:empty').waitFor({ state: 'attached' })
      expect(sent).to.deep.equal([])
    })

    it('it sends nothing if the pair is paused while the wallet dialog is open', async () => {
      const connect = await openWalletDialog()
      stage.show(buildCheckout({}, { unavailablePayments: ['USDC/base'] }))
      await says(/Do not send USDC on Base now/)
      connect()
      await page.locator('#wallet > [role=status]:empty').waitFor({ state: 'attached' })
      expect(sent).to.deep.equal([])
    })

    it('it sends nothing if a payment is seen before the payer clicks', async () => {
      await wallet()
      await open()
      await payButton().waitFor()
      stage.show(buildCheckout({}, { awaited: [SEEN] }))
      await payButton()
        .click({ timeout: 1000 })
        .catch(() => undefined)
      await title('We can see your payment')
      expect(sent).to.deep.equal([])
    })

    it('it sends nothing based on an outdated page state that was requested before the wallet dialog opened', async () => {
      const { asked } = await wallet()
      await page.addInitScript({ content: STREAM_THAT_STAYS })
      const first = buildCheckout()
      await open(BASE, first)
      await payButton().waitFor()
      const release = stage.hold()
      const isUnderWay = page.waitForRequest((request) => request.url() === stage.url(BASE))
      await tellStream({ ...first, revision: 'another' })
      await isUnderWay
      await payButton().click()
      await waitFor(() => asked.includes('eth_chainId'), {
        what: 'a request to the wallet',
        timeoutMs: 60_000,
      })
      stage.show(buildCheckout({}, { awaited: [SEEN] }))
      release()
      await title('We can see your payment')
      expect(sent).to.deep.equal([])
    })

    it('it switches to the chosen network first, and adds the network to a wallet that lacks it', async () => {
      const { asked } = await wallet({ lacks: [56] })
      await open(BNB)
      await payButton().click()
      await says('Please do not send it again.')
      expect(asked.filter((method) => method.startsWith('wallet_'))).to.deep.equal([
        'wallet_switchEthereumChain',
        'wallet_addEthereumChain',
        'wallet_switchEthereumChain',
      ])
      expect(sent).to.have.length(1)
    })

    it('it sends nothing if the wallet reports a switch but is still on another network', async () => {
      const { asked } = await wallet({ staysPut: true })
      await open(BNB)
      await payButton().click()
      await says(/Your wallet did not switch to BNB Smart Chain/)
      expect(sent).to.deep.equal([])
      // Nor does the page request the next step, in which a TRON wallet signs or a swap is approved.
      expect(asked).not.to.include('eth_accounts')
    })

    it('it sends nothing if the wallet leaves the chosen network before the request', async () => {
      await wallet({ strays: 56 })
      await open()
      await payButton().click()
      await says(/Your wallet did not switch to Base/)
      expect(sent).to.deep.equal([])
    })

    it('it sends nothing and shows a message if the payer declines', async () => {
      await wallet({ rejects: true })
      await open()
      await payButton().click()
      await says('You cancelled in your wallet. Nothing was sent.')
      expect(sent).to.deep.equal([])
      expect(await payButton().isEnabled()).to.equal(true)
    })

    it('it sends nothing from an account that the payer did not choose', async () => {
      await wallet({ changesAccount: true })
      await open()
      await payButton().click()
      await says(/The account in your wallet changed/)
      expect(sent).to.deep.equal([])
    })

    it('it offers a wallet that announces itself late', async () => {
      await wallet({ announcesAfterMs: 3000 })
      await open()
      await payButton().waitFor()
    })

    it('it offers a wallet that does not announce itself', async () => {
      await wallet({ announcesAfterMs: null })
      await open()
      await page.getByRole('button', { name: 'Pay 10.00 USDC with your browser wallet' }).waitFor()
    })

    it('it keeps an element that the payer has opened open through updates of the page', async () => {
      await wallet()
      await open()
      await page.getByText('Pay with another token').click()
      const swap = page.getByRole('button', { name: 'Pay with ETH (Base) using Test Wallet' })
      await swap.waitFor()
      const button = await swap.elementHandle()
      // When the page receives the second state, it has already shown the first state.
      for (const _ of [1, 2]) await page.waitForResponse((response) => response.url() === stage.url(BASE))
      expect(await button?.isVisible()).to.equal(true)
      stage.show(buildCheckout({ status: 'partially_paid', receivedAtto: dollarsOf(4n) }))
      await title('6.00 USD left to pay')
      await swap.waitFor()
    })

    it('it sends a swap only after it has shown the amount and the steps', async () => {
      await wallet()
      await open()
      stage.offer({
        ...{ inputToken: 'ETH', inputAmountExact: '0.0034', outputToken: 'USDC', outputAmountExact: '10' },
        transaction: { to: OTHER, data: '0x1234', value: '3400000000000000' },
        ...{ permit2: null, allowanceTarget: null },
        // By this machine's clock, with which the page compares the expiry of a quote.
        expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      })
      await page.getByText('Pay with another token').click()
      await page.getByRole('button', { name: 'Pay with ETH (Base) using Test Wallet' }).click()
      await says('0.0034 ETH at most')
      expect(await steps()).to.deep.equal(['Send the payment. Your wallet shows the fee.'])
      expect(sent).to.deep.equal([])
      await page.getByRole('button', { name: 'Continue in Test Wallet' }).click()
      await says('Please do not send it again.')
      expect(sent).to.deep.equal([
        {
          ...{ from: PAYER, chainId: '0x2105', to: OTHER, data: '0x1234' },
          value: `0x${3_400_000_000_000_000n.toString(16)}`,
        },
      ])
    })

    for (const [which, allowance, first] of [
      ['that needs an approval', 0n, ['Allow Permit2 to use your LINK. Then you get a new price.']],
      ['that is already approved', 2n ** 255n, []],
    ] as const) {
      it(`it lists the payer’s steps in order for a swap of a token ${which}`, async () => {
        const chain = async () => `0x${allowance.toString(16)}`
        await wallet({ chains: { 8453: chain } })
        await open()
        const permitted = { token: OTHER, amount: '710000000000000000' }
        stage.offer({
          ...{ inputToken: 'LINK', inputAmountExact: '0.71', outputToken: 'USDC', outputAmountExact: '10' },
          transaction: { to: OTHER, data: '0x1234', value: '0' },
          ...{ permit2: { eip712: { message: { permitted } } }, allowanceTarget: OTHER },
          expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
        })
        await page.getByText('Pay with another token').click()
        await page.getByRole('button', { name: 'Pay with LINK (Base) using Test Wallet' }).click()
        await says('0.71 LINK at most')
        expect(await steps()).to.deep.equal([
          ...first,
          'Sign the exact amount. This costs nothing.',
          'Send the payment. Your wallet shows the fee.',
        ])
      })
    }
  })
})
