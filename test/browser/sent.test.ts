import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { LIVE_CHAINS } from '../devnet/networks.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { startBrowser } from '../support/browser.ts'
import { type AskChain, chainAt } from '../support/fake-wallet.ts'
import { paymentsOn } from '../support/page-payments.ts'
import { createPayerView, type PayerView, RIGHT_WITHIN_MS } from '../support/payer-view.ts'
import { type ChargeJson, createCharge } from '../support/scenario.ts'
import { type StreamProxy, startStreamProxy } from '../support/stream-proxy.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const inLongRun = process.env['TEST_LONG'] === '1' ? describe : () => undefined

const TEN_MINUTES_MS = 600_000

/** Long enough that no head becomes stale on a busy machine while a test mines no blocks. */
const SETTINGS = { HEAD_STALE_AFTER_MIN_SECONDS: '900' }

inLongRun('a payment that a wallet has sent, on the checkout page in a browser', function () {
  this.timeout(400_000)
  let devnet: Devnet
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let view: PayerView
  let network: StreamProxy

  before(async () => {
    const directory = await temporaryDirectory('browser-sent')
    ;[devnet, browser] = await Promise.all([
      startDevnet({
        ...{ directory, program: 'dist', graceSeconds: 1, confirmations: 3, chains: LIVE_CHAINS },
        settings: { api: SETTINGS, indexer: SETTINGS },
      }),
      startBrowser(),
    ])
    network = await startStreamProxy(devnet.description.apiUrl)
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 390, height: 800 } })
    page = await context.newPage()
    view = createPayerView(page)
  })
  afterEach(() => context?.close())
  after(async () => {
    await browser?.close()
    await network?.stop()
    await devnet?.stop()
  })

  const payments = paymentsOn(() => devnet)
  const { chainOf, untilItIs, untilPending, untilReceived, whileNothingIsMined } = payments
  const open = async (charge: ChargeJson, on = page, origin = devnet.description.apiUrl) => {
    const { pathname } = new URL(charge.checkoutUrl ?? '')
    await on.goto(`${origin}${pathname}?token=USDC&network=base`)
    await createPayerView(on).title('10.00 USD')
  }
  const send = async () => {
    await view.payButton().click()
    await view.title('Sent from your wallet')
    await untilPending()
  }
  /** Waits until the charge's `state.json` shows the payment. */
  const untilSeen = ({ checkoutUrl }: ChargeJson) =>
    waitFor(
      async () => {
        const answer = await fetch(`${checkoutUrl}/state.json`)
        return ((await answer.json()) as { readonly screen: string }).screen === 'seen'
      },
      { what: 'the service to see the payment', timeoutMs: 60_000, intervalMs: 500 },
    )
  const isNotLive = async (on = page) => (await on.getByText(/Live updates/).count()) > 0

  it('is not requested again in another tab, nor in another browser once the service has seen it', async () => {
    await payments.injectWallet(page)
    const charge = await createCharge(devnet)
    const tab = await context.newPage()
    const elsewhere = await browser.newPage()
    for (const one of [page, tab, elsewhere]) await open(charge, one)
    const others = [createPayerView(tab), createPayerView(elsewhere)]
    await whileNothingIsMined(async (mine) => {
      await send()
      await createPayerView(tab).title('Sent from your wallet', RIGHT_WITHIN_MS)
      await createPayerView(tab).expectNothingAsked(charge)
      await mine()
      await untilSeen(charge)
      for (const other of others) {
        await other.title('We can see your payment', RIGHT_WITHIN_MS)
        await other.expectNothingAsked(charge)
      }
    })
    await untilItIs(charge, 'confirmed')
    for (const one of [view, ...others]) {
      await one.title('Paid. Thank you!', RIGHT_WITHIN_MS)
      await one.expectNothingAsked(charge)
    }
    await elsewhere.close()
  })

  it('is shown when a tab becomes visible after ten minutes in the background', async () => {
    await payments.injectWallet(page)
    await page.clock.install()
    const charge = await createCharge(devnet)
    await open(charge, page, network.origin)
    await whileNothingIsMined(async () => {
      await send()
      await turn('hidden')
      // The stream is interrupted and the clock stopped, so neither an event nor a timer updates the tab.
      await page.clock.pauseAt(new Date(Date.now() + 5000))
      network.cut()
      await view.says(/Live updates are interrupted/)
    })
    await untilItIs(charge, 'confirmed')
    await page.clock.setSystemTime(new Date(Date.now() + TEN_MINUTES_MS))
    await view.title('Sent from your wallet', RIGHT_WITHIN_MS)
    await view.expectNothingAsked(charge)
    await turn('visible')
    await view.title('Paid. Thank you!', RIGHT_WITHIN_MS)
    await view.expectNothingAsked(charge)
    network.mend()
  })

  it('is not requested again while the service is down, and is shown within seconds after the restart', async () => {
    await payments.injectWallet(page)
    const charge = await createCharge(devnet)
    await open(charge)
    await whileNothingIsMined(async (mine) => {
      await send()
      await devnet.api.kill()
      await view.says(/Live updates are interrupted/)
      await view.expectNothingAsked(charge)
      await mine()
      await devnet.api.start()
      await untilSeen(charge)
      await view.title('We can see your payment', RIGHT_WITHIN_MS)
      await view.expectNothingAsked(charge)
    })
    await untilItIs(charge, 'confirmed')
    await view.title('Paid. Thank you!', RIGHT_WITHIN_MS)
    expect(await isNotLive()).to.equal(false)
  })

  it('is not requested again while the stream is interrupted for a minute, and is shown within seconds afterwards', async () => {
    await payments.injectWallet(page)
    const charge = await createCharge(devnet)
    await open(charge, page, network.origin)
    await whileNothingIsMined(async () => {
      await send()
      const cutAtMs = Date.now()
      network.cut()
      await view.says(/Live updates are interrupted/)
      await waitFor(
        async () => {
          await view.expectNothingAsked(charge)
          return Date.now() >= cutAtMs + 60_000
        },
        { what: 'a minute to pass', timeoutMs: 120_000, intervalMs: 1000 },
      )
      expect(await isNotLive()).to.equal(true)
    })
    await untilItIs(charge, 'confirmed')
    network.mend()
    await view.title('Paid. Thank you!', RIGHT_WITHIN_MS)
    await view.expectNothingAsked(charge)
    expect(await isNotLive()).to.equal(false)
  })

  it('is shown with the excess amount if the payer sends too much', async () => {
    const base = chainOf('base')
    const ask = chainAt(base.rpcUrl)
    await payments.injectWallet(page, { chains: { [base.chainId]: sendingMore(ask, 12_000_000n) } })
    const charge = await createCharge(devnet)
    await open(charge)
    await view.payButton().click()
    await untilReceived(charge, '12')
    await view.title('Paid. Thank you!', RIGHT_WITHIN_MS)
    await view.reload('Paid. Thank you!', 'You sent 2.00 USD more than needed.')
    await view.expectNothingAsked(charge)
  })

  /** Makes the page behave as if its tab became hidden or visible. */
  function turn(visibility: 'hidden' | 'visible'): Promise<unknown> {
    return page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${visibility}' })
      document.dispatchEvent(new Event('visibilitychange'))`)
  }
})

/** Simulates a payer who changes the amount in their wallet to `units`, in atomic units. */
function sendingMore(ask: AskChain, units: bigint): AskChain {
  return (method, params) => {
    if (method !== 'eth_sendTransaction') return ask(method, params)
    const transaction = params[0] as { readonly data: string }
    const data = `${transaction.data.slice(0, -64)}${units.toString(16).padStart(64, '0')}`
    return ask(method, [{ ...transaction, data }])
  }
}
