import { expect } from 'chai'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Schema } from '../../api/client/schema.ts'
import { toSigner } from '../devnet/accounts.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { LIVE_CHAINS } from '../devnet/networks.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { startBrowser } from '../support/browser.ts'
import { payEscrow, SETTLED, waitForEscrow } from '../support/escrow-scenario.ts'
import { type AskChain, chainAt, type FakeWallet } from '../support/fake-wallet.ts'
import { type FirstLoad, measureFirstLoad } from '../support/first-load.ts'
import { readScriptElement } from '../support/merchant-script.ts'
import { paymentsOn } from '../support/page-payments.ts'
import { PAGE_STATES, type PageState, setMerchant } from '../support/page-states.ts'
import { createPayerView, type PayerView, RIGHT_WITHIN_MS } from '../support/payer-view.ts'
import { confirmOnWalletSheet, countTaps, PHONE, showWalletSheet } from '../support/phone.ts'
import {
  type ChargeJson,
  createCharge,
  getCharge,
  pay,
  USDC_ON_BASE,
  USDC_ON_BNB,
} from '../support/scenario.ts'
import { OTHER_SHOP, SHOP, serveShop } from '../support/staged-shop.ts'
import { ALL_VIEWS, lookAt, PICTURE_VIEWS } from '../support/state-views.ts'
import { startStreamProxy } from '../support/stream-proxy.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const inLongRun = process.env['TEST_LONG'] === '1' ? it : () => undefined
const BOTH = [USDC_ON_BASE, USDC_ON_BNB]

const MIN_EXPIRY_SECONDS = 60

/** Maximum time from a payment's block to its display, with a margin for a busy machine. */
const SEEN_WITHIN_MS = 2000

/** Long enough that no head becomes stale on a busy machine while a test mines no blocks. */
const SETTINGS = { HEAD_STALE_AFTER_MIN_SECONDS: '900' }

/** States that every run checks. */
const QUICK = ['pay', 'pay by exchange', 'overpaid', 'wrong pair', 'not found']
const isQuick = ({ name }: PageState) => QUICK.includes(name)

/** Uses the whole stack. `script.test.ts` tests other actions of the payer with a simulated service. */
describe('the checkout page, in a browser', function () {
  // A devnet starts in twenty seconds on an idle machine.
  this.timeout(400_000)
  let devnet: Devnet
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let view: PayerView

  before(async () => {
    const directory = await temporaryDirectory('browser')
    ;[devnet, browser] = await Promise.all([
      startDevnet({
        ...{ directory, program: 'dist', graceSeconds: 1, confirmations: 3, chains: LIVE_CHAINS },
        settings: { api: { ...SETTINGS, CHECKOUT_FRAME_ORIGINS: SHOP }, indexer: SETTINGS },
      }),
      startBrowser(),
    ])
  })
  beforeEach(() => openContext())
  afterEach(() => context?.close())
  after(async () => {
    await browser?.close()
    await devnet?.stop()
  })

  const openContext = async (change: BrowserContextOptions = {}) => {
    context = await browser.newContext({ viewport: { width: 390, height: 800 }, ...change })
    page = await context.newPage()
    // Only prevents hanging; generous for a busy machine.
    page.setDefaultTimeout(60_000)
    view = createPayerView(page)
  }
  const payments = paymentsOn(() => devnet)
  const { chainOf, untilItIs, untilPending, untilReceived, whileNothingIsMined } = payments
  const open = async (charge: ChargeJson, query = 'token=USDC&network=base') => {
    await page.goto(`${charge.checkoutUrl}?${query}`)
  }
  const opened = async (terms: Partial<Schema<'CreateCharge'>> = {}): Promise<ChargeJson> => {
    const charge = await createCharge(devnet, terms)
    await open(charge)
    await view.title('10.00 USD')
    return charge
  }
  /** Opens a merchant's page, which loads the newest `checkout.js` by its hash, and clicks its pay button. */
  const openShop = async (origin: string) => {
    const charge = await createCharge(devnet)
    const url = `${charge.checkoutUrl}?token=USDC&network=base`
    const script = readScriptElement().replace('https://pay.example.com', new URL(url).origin)
    const shop = await serveShop(page, { script, url })
    // Browsers ask the user for permission to access local addresses, such as the devnet's.
    await context.grantPermissions(['local-network-access'])
    await page.goto(`${origin}/`)
    await page.getByRole('link', { name: 'Pay', exact: true }).click()
    return { charge, url, shop }
  }
  const sentCount = ({ asked }: FakeWallet) =>
    asked.filter((method) => method === 'eth_sendTransaction').length
  const receivedOf = async ({ id }: ChargeJson) => (await getCharge(devnet, id)).amountReceivedExact

  describe('on its first load', () => {
    let load: FirstLoad

    before(async () => {
      await openContext()
      load = await measureFirstLoad(
        page,
        (await createCharge(devnet, { acceptedPayments: BOTH })).checkoutUrl ?? '',
      )
      await context.close()
    })

    it('has 20,000 to 45,000 bytes, uncompressed', () => {
      expect(load.bytes).to.be.within(20_000, 45_000)
    })

    it('requests nothing from other origins', () => {
      expect([...load.origins]).to.deep.equal([new URL(devnet.description.apiUrl).origin])
    })

    it('does not move its content', () => {
      expect(load.layoutShift, load.moved.join('\n')).to.be.below(0.02)
    })
  })

  describe('is accessible and shows the right heading in the state', () => {
    const isLong = process.env['TEST_LONG'] === '1'
    const views = isLong ? ALL_VIEWS : PICTURE_VIEWS
    const states = isLong || process.env['PICTURES_DIRECTORY'] ? PAGE_STATES : PAGE_STATES.filter(isQuick)

    before(async () => {
      await createCharge(devnet)
      await setMerchant(devnet)
    })

    for (const { name, reach } of states) {
      it(name, () => reach(devnet, (shown) => lookAt(browser, { name, views }, shown)))
    }
  })

  it('is paid with two taps in the browser of a wallet on a phone, and then redirects to the merchant', async () => {
    await context.close()
    await openContext(PHONE)
    const taps = await countTaps(page)
    const wallet = await payments.injectWallet(page, {
      announcesAfterMs: null,
      confirms: () => showWalletSheet(page),
    })
    const redirectUrl = `${devnet.description.apiUrl}/docs`
    // A 204 response keeps the page open, so that it can be inspected for longer than ten seconds.
    let hasLeft = false
    await page.route(redirectUrl, (route) => {
      hasLeft = true
      return route.fulfill({ status: 204 })
    })
    const charge = await opened({ redirectUrl })
    await page.getByRole('button', { name: 'Pay 10.00 USDC with your browser wallet' }).tap()
    await confirmOnWalletSheet(page)
    await view.title('Paid. Thank you!')
    expect([await taps(), sentCount(wallet)]).to.deep.equal([2, 1])
    await view.says(/Returning in \d+ seconds/)
    await waitFor(() => hasLeft, { what: 'the redirect to the merchant', timeoutMs: 60_000 })
    expect(await receivedOf(charge)).to.equal('10')
  })

  it('of an escrow lets the releaser sign with two clicks, which releases and settles the escrow', async () => {
    const charge = await payEscrow(devnet)
    const { releaser, merchant } = devnet.description.accounts
    const { chainId, rpcUrl } = chainOf('base')
    const asked: unknown[] = []
    const chain: AskChain = async (method, params) => {
      if (method !== 'eth_signTypedData_v4') return chainAt(rpcUrl)(method, params)
      asked.push(params[0])
      return toSigner(releaser).signTypedData(JSON.parse(String(params[1])))
    }
    await payments.injectWallet(page, { accounts: [releaser.address], chains: { [chainId]: chain } })
    await page.goto(`${charge.checkoutUrl}/escrow`)
    await view.title('10.00 USDC on Base held in escrow')
    for (const address of [merchant.address, charge.addressTerms.splitAddress, releaser.address])
      expect(await page.locator('main').textContent()).to.contain(address)
    await page.getByRole('button', { name: 'Release with Test Wallet' }).click()
    await page.getByRole('button', { name: 'Continue in Test Wallet' }).click()
    await view.title('It was released from escrow to the merchant.')
    expect(asked).to.deep.equal([releaser.address])
    const settled = await waitForEscrow(devnet, charge.id, SETTLED)
    expect(settled.escrow.releasedAt).to.be.a('string')
  })

  it('opens in a dialog on a merchant’s page of another origin, and sends that page the payment’s events', async () => {
    const wallet = await payments.injectWallet(page)
    const { charge, shop } = await openShop(SHOP)
    await page
      .frameLocator('iframe')
      .getByRole('button', { name: /Test Wallet/ })
      .first()
      .click()
    await shop.untilEvents('opened', 'seen', 'paid')
    expect(JSON.stringify(await shop.messages())).to.not.include(charge.id)
    await page.getByRole('button', { name: 'Close' }).click()
    await shop.untilEvents('opened', 'seen', 'paid', 'closed')
    expect([sentCount(wallet), await receivedOf(charge)]).to.deep.equal([1, '10'])
    expect(page.url()).to.equal(`${SHOP}/`)
  })

  it('replaces a merchant’s page that may not embed it', async () => {
    const { url } = await openShop(OTHER_SHOP)
    await page.waitForURL(url)
    await view.title('10.00 USD')
  })

  inLongRun(
    'switches the wallet to the chosen network, and sends an amount of a token with 18 decimals',
    async () => {
      const wallet = await payments.injectWallet(page)
      const charge = await createCharge(devnet, { acceptedPayments: BOTH, amount: 1.000001 })
      await open(charge, 'token=USDC&network=bnb')
      await view.payButton().click()
      await view.title('Paid. Thank you!')
      expect(wallet.asked).to.include('wallet_switchEthereumChain')
      const { amountReceivedExact, paidWith } = await getCharge(devnet, charge.id)
      expect([amountReceivedExact, paidWith]).to.deep.equal(['1.000001', [USDC_ON_BNB]])
    },
  )

  inLongRun('shows the correct state after a reload at every step, and sends the payment once', async () => {
    const wallet = await payments.injectWallet(page)
    const redirectUrl = `${devnet.description.apiUrl}/docs`
    const charge = await createCharge(devnet, { acceptedPayments: BOTH, redirectUrl })
    await page.goto(charge.checkoutUrl ?? '')
    await page.getByRole('link', { name: 'Scan or copy' }).click()
    await view.reload('10.00 USD', charge.address)
    await page.getByRole('link', { name: 'Wallet', exact: true }).click()
    await whileNothingIsMined(async (mine) => {
      await view.payButton().click()
      await view.reload('Sent from your wallet', 'Please do not send it again.')
      await view.expectNothingAsked(charge)
      for (const [seen, title] of ['We can see your payment', 'Almost done'].entries()) {
        await mine()
        await view.reload(title, `Base: ${seen + 1} of 3 confirmations`)
        await view.expectNothingAsked(charge)
      }
    })
    await view.says(/Returning in \d+ seconds/)
    await view.reload('Paid. Thank you!', 'has received your payment.')
    await view.expectNothingAsked(charge)
    expect(await page.getByText(/Returning in/).count()).to.equal(0)
    expect([sentCount(wallet), await receivedOf(charge)]).to.deep.equal([1, '10'])
  })

  inLongRun(
    'shows the correct state after a reload at every step of a wallet’s payment of the remaining amount',
    async () => {
      let confirm: () => void = () => undefined
      const isConfirmed = new Promise<void>((resolve) => {
        confirm = resolve
      })
      const base = chainOf('base')
      const ask = chainAt(base.rpcUrl)
      const wallet = await payments.injectWallet(page, {
        chains: {
          [base.chainId]: async (method, params) => {
            if (method === 'eth_sendTransaction') await isConfirmed
            return ask(method, params)
          },
        },
      })
      const charge = await opened()
      await whileNothingIsMined(async (mine) => {
        const paying = pay(devnet, { charge, amount: '4' })
        await untilPending()
        await mine()
        await paying
        await view.reload('6.00 USD left to pay', 'Base: 1 of 3 confirmations')
      })
      await view.reload('6.00 USD left to pay', '4.00 USD of 10.00 USD has arrived.')
      await whileNothingIsMined(async () => {
        await view.payButton().click()
        await waitFor(() => sentCount(wallet) === 1, { what: 'a request to the wallet', timeoutMs: 60_000 })
        await page.reload()
        await view.reload('Check your wallet', 'We asked your wallet to pay')
        await view.expectNothingAsked(charge)
        // Simulates a confirmation in another app: the page that requested it was reloaded, so no page receives the
        // response.
        confirm()
        await untilPending()
        await view.reload('Check your wallet', 'We asked your wallet to pay')
        await view.expectNothingAsked(charge)
      })
      await view.reload('Paid. Thank you!', 'has received your payment.')
      expect([sentCount(wallet), await receivedOf(charge)]).to.deep.equal([1, '10'])
    },
  )

  inLongRun(
    'shows a partial payment within two seconds of its block, and accepts the rest before that payment is confirmed',
    async () => {
      const wallet = await payments.injectWallet(page)
      const charge = await opened()
      await whileNothingIsMined(async (mine) => {
        const paying = pay(devnet, { charge, amount: '4' })
        await untilPending()
        await mine()
        await paying
        await view.title('6.00 USD left to pay', SEEN_WITHIN_MS)
        await view.says('4.00 of 10.00 USD seen.')
        await view.reload('6.00 USD left to pay', 'Base: 1 of 3 confirmations')
        await view.payButton().click()
        await waitFor(() => sentCount(wallet) === 1, { what: 'the wallet to send', timeoutMs: 60_000 })
        await untilPending()
        await mine()
        await view.reload('We can see your payment', 'Nothing more to do.')
        await view.expectNothingAsked(charge)
      })
      await view.title('Paid. Thank you!')
      expect([sentCount(wallet), await receivedOf(charge)]).to.deep.equal([1, '10'])
    },
  )

  inLongRun(
    'reports a payment on a network that is not accepted, and then accepts a payment on the right network',
    async () => {
      const wallet = await payments.injectWallet(page)
      const charge = await opened()
      await pay(devnet, { charge, pair: USDC_ON_BNB })
      await view.title('Still unpaid: that was a different network', RIGHT_WITHIN_MS)
      await view.reload('Still unpaid: that was a different network', '10.00 USDC on BNB Smart Chain')
      await view.expectNothingAsked(charge)
      await page.getByRole('link', { name: 'Pay 10.00 USDC on Base' }).click()
      await view.title('10.00 USD')
      await view.payButton().click()
      await view.title('Paid. Thank you!')
      await view.says('Not accepted')
      expect([sentCount(wallet), await receivedOf(charge)]).to.deep.equal([1, '10'])
    },
  )

  inLongRun('reports an overpayment and its amount', async () => {
    const charge = await opened()
    await pay(devnet, { charge, amount: '12' })
    await untilReceived(charge, '12')
    await view.title('Paid. Thank you!', RIGHT_WITHIN_MS)
    await view.says('You sent 2.00 USD more than needed.')
    await view.expectNothingAsked(charge)
  })

  inLongRun(
    'does not request more money once the charge is closed, and shows a later payment within seconds',
    async () => {
      const charge = await opened({ expiresIn: MIN_EXPIRY_SECONDS })
      await untilItIs(charge, 'expired')
      await view.title('This payment has expired', RIGHT_WITHIN_MS)
      await view.expectNothingAsked(charge)
      await pay(devnet, { charge })
      await untilReceived(charge, '10')
      await view.title('Your payment arrived late', RIGHT_WITHIN_MS)
      await view.reload('Your payment arrived late', 'Your money is not lost.')
      await view.expectNothingAsked(charge)
    },
  )

  inLongRun(
    'does not request more money after the deadline, neither before the charge has expired nor after a late payment',
    async () => {
      const charge = await opened({ expiresIn: MIN_EXPIRY_SECONDS })
      const deadlineMs = Date.parse(charge.expiresAt)
      await waitUntil(deadlineMs - 10_000)
      await whileNothingIsMined(async (mine) => {
        await waitUntil(deadlineMs)
        await view.title('Time is up: checking for your payment', RIGHT_WITHIN_MS)
        await view.expectNothingAsked(charge)
        await view.reload('Time is up: checking for your payment', 'do not send it again')
        // A block in the deadline's own second is in time, because block times are whole seconds.
        await waitUntil(deadlineMs + 1000)
        const paying = pay(devnet, { charge })
        await untilPending()
        await view.expectNothingAsked(charge)
        await mine()
        await paying
        await view.expectNothingAsked(charge)
      })
      await untilReceived(charge, '10')
      expect((await untilItIs(charge, 'expired')).status).to.equal('expired')
      await view.title('Your payment arrived late', RIGHT_WITHIN_MS)
      await view.says('Your money is not lost.')
      await view.expectNothingAsked(charge)
    },
  )

  inLongRun('requests the rest from a wallet after a partial payment without a wallet', async () => {
    const charge = await createCharge(devnet)
    await pay(devnet, { charge, amount: '4' })
    await open(charge)
    await view.title('6.00 USD left to pay')
    await payments.injectWallet(page)
    await open(charge)
    await view.payButton().click()
    await view.title('Paid. Thank you!')
    expect(await receivedOf(charge)).to.equal('10')
  })

  inLongRun('sends nothing on another network if the wallet lacks the chosen network', async () => {
    const wallet = await payments.injectWallet(page, { lacks: [chainOf('bnb').chainId] })
    await open(await createCharge(devnet, { acceptedPayments: BOTH }), 'token=USDC&network=bnb')
    await view.payButton().click()
    await view.says(/Your wallet did not switch to BNB Smart Chain/)
    expect(sentCount(wallet)).to.equal(0)
  })

  inLongRun('shows the payment after a reload if JavaScript is disabled', async () => {
    await context.close()
    await openContext({ javaScriptEnabled: false })
    const charge = await createCharge(devnet)
    await open(charge, 'token=USDC&network=base&way=scan')
    await view.says(charge.address)
    await pay(devnet, { charge })
    await waitFor(
      async () => {
        await page.reload()
        return (await page.title()) === 'Paid. Thank you!'
      },
      { what: 'the page with the title of a paid charge', timeoutMs: 60_000, intervalMs: 500 },
    )
  })

  it('shows a payment that its stream reports, without polling', async () => {
    await page.clock.install()
    const charge = await opened()
    // With a stopped clock, the page does not poll.
    await page.clock.pauseAt(new Date(Date.now() + 45_000))
    await pay(devnet, { charge })
    await untilItIs(charge, 'confirmed')
    await view.title('Paid. Thank you!')
  })

  inLongRun(
    'polls for payments while the stream is cut, and shows a payment within seconds once the stream resumes',
    async () => {
      const charge = await createCharge(devnet)
      const network = await startStreamProxy(devnet.description.apiUrl)
      const { pathname } = new URL(charge.checkoutUrl ?? '')
      const following = page.waitForResponse((response) => response.url().includes('/events'))
      await page.goto(`${network.origin}${pathname}?token=USDC&network=base`)
      await view.title('10.00 USD')
      await following
      const cutAtMs = Date.now()
      network.cut()
      await view.says(/Live updates are interrupted/)
      await pay(devnet, { charge, amount: '4' })
      await view.title('6.00 USD left to pay')
      await view.says(/Live updates are interrupted/)
      await waitUntil(cutAtMs + 60_000)
      await pay(devnet, { charge, amount: '6' })
      await untilItIs(charge, 'confirmed')
      network.mend()
      await view.title('Paid. Thank you!', RIGHT_WITHIN_MS)
      expect(await page.getByText(/Live updates/).count()).to.equal(0)
      // At least the interrupted request and its replacement.
      expect(network.stoppedCount()).to.be.at.least(2)
      await network.stop()
    },
  )

  inLongRun('shows a payment within seconds after the service was down', async () => {
    const charge = await opened()
    await devnet.api.kill()
    await view.says(/Live updates are interrupted/)
    await pay(devnet, { charge })
    await devnet.api.start()
    await untilItIs(charge, 'confirmed')
    await view.title('Paid. Thank you!', RIGHT_WITHIN_MS)
    expect(await page.getByText(/Live updates/).count()).to.equal(0)
  })

  inLongRun('shows a payment within seconds after the tab was offline for ten minutes', async () => {
    await page.clock.install()
    const charge = await opened()
    await context.setOffline(true)
    await pay(devnet, { charge })
    await untilItIs(charge, 'confirmed')
    await page.clock.fastForward('10:00')
    await context.setOffline(false)
    await page.clock.runFor(2000)
    await view.title('Paid. Thank you!', RIGHT_WITHIN_MS)
  })

  function waitUntil(ms: number): Promise<unknown> {
    return waitFor(() => Date.now() >= ms, {
      ...{ what: 'the given time', timeoutMs: 90_000, intervalMs: 200 },
    })
  }
})
