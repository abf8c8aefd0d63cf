import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { startBrowser } from '../support/browser.ts'
import { chainAt, type FakeWallet, injectWallet, type WalletWays } from '../support/fake-wallet.ts'
import { requestRpc } from '../support/request-rpc.ts'
import {
  type ChargeJson,
  createCharge,
  getCharge,
  pay,
  USDC_ON_BASE,
  USDC_ON_BNB,
} from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/** What a payer does besides is tested before a staged service, in `script.test.ts`; here with everything behind it. */
const inLongRun = process.env['TEST_LONG'] === '1' ? it : () => undefined
const BOTH = [USDC_ON_BASE, USDC_ON_BNB]

/** What the issue asks of a page whose stream or service was gone. */
const RIGHT_WITHIN_MS = 5000

describe('paying on the checkout’s page, in a browser', function () {
  // A devnet starts in twenty seconds on an idle machine.
  this.timeout(300_000)
  let devnet: Devnet
  let browser: Browser
  let context: BrowserContext
  let page: Page

  before(async () => {
    const directory = await temporaryDirectory('browser')
    ;[devnet, browser] = await Promise.all([
      startDevnet({ directory, program: 'dist', graceSeconds: 1 }),
      startBrowser(),
    ])
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 390, height: 800 } })
    page = await context.newPage()
  })
  afterEach(() => context?.close())
  after(async () => {
    await browser?.close()
    await devnet?.stop()
  })

  const chainOf = (network: 'base' | 'bnb') => {
    const { live } = devnet.description.networks[network] ?? {}
    return live ?? expect.fail(`the devnet has no live ${network}`)
  }
  const walletOf = (change: Partial<WalletWays> = {}): Promise<FakeWallet> => {
    const [base, bnb] = [chainOf('base'), chainOf('bnb')]
    const { payer, payer2 } = devnet.description.accounts
    return injectWallet(page, {
      chains: { [base.chainId]: chainAt(base.rpcUrl), [bnb.chainId]: chainAt(bnb.rpcUrl) },
      chainId: base.chainId,
      accounts: [payer.address, payer2.address],
      ...change,
    })
  }
  const open = async (charge: ChargeJson, query = 'token=USDC&network=base') => {
    await page.goto(`${charge.checkoutUrl}?${query}`)
  }
  const title = (text: string, timeoutMs = 30_000) =>
    page.getByRole('heading', { level: 1, name: text }).waitFor({ timeout: timeoutMs })
  const payButton = () => page.getByRole('button', { name: 'Pay with Test Wallet', exact: true })
  /** What is said aloud stands in the page a second time. */
  const says = (text: string | RegExp) => page.getByText(text).first().waitFor({ timeout: 30_000 })
  const sentCount = ({ asked }: FakeWallet) =>
    asked.filter((method) => method === 'eth_sendTransaction').length

  it('is done by a wallet, and the page follows it to the receipt and back to the merchant', async () => {
    const wallet = await walletOf()
    const charge = await createCharge(devnet, { redirectUrl: `${devnet.description.apiUrl}/docs` })
    await open(charge)
    await payButton().click()
    await title('Paid')
    expect(sentCount(wallet)).to.equal(1)
    await says(/You return to the merchant in \d seconds/)
    await page.waitForURL('**/docs', { timeout: 15_000 })
    expect((await getCharge(devnet, charge.id)).amountReceivedExact).to.equal('10')
  })

  inLongRun(
    'switches the wallet to the network that was chosen, and sends its 18 decimals there',
    async () => {
      const wallet = await walletOf()
      const charge = await createCharge(devnet, { acceptedPayments: BOTH, amount: 1.000001 })
      await open(charge, 'token=USDC&network=bnb')
      await payButton().click()
      await title('Paid')
      expect(wallet.asked).to.include('wallet_switchEthereumChain')
      const { amountReceivedExact, paidWith } = await getCharge(devnet, charge.id)
      expect([amountReceivedExact, paidWith]).to.deep.equal(['1.000001', [USDC_ON_BNB]])
    },
  )

  inLongRun(
    'is not asked for again after it was sent, nor after a reload, before the network shows it',
    async () => {
      await walletOf()
      const charge = await createCharge(devnet)
      // Nothing is mined, so that the network shows nothing.
      const setMining = (isOn: boolean) =>
        requestRpc(chainOf('base').rpcUrl, 'evm_setIntervalMining', [isOn ? 1 : 0])
      await open(charge)
      await setMining(false)
      try {
        await payButton().click()
        await says('Your wallet has sent it.')
        await page.reload()
        await says('Your wallet has sent it.')
        expect(await page.getByText(charge.address).isVisible()).to.equal(false)
        expect(await payButton().isVisible()).to.equal(false)
      } finally {
        await setMining(true)
      }
      await title('Paid')
    },
  )

  inLongRun('goes on by hand with what remains, when half of it came by a wallet', async () => {
    const charge = await createCharge(devnet)
    await pay(devnet, { charge, amount: '4' })
    await open(charge)
    await title('Pay the remaining 6.00 USD')
    await walletOf()
    await open(charge)
    await payButton().click()
    await title('Paid')
    expect((await getCharge(devnet, charge.id)).amountReceivedExact).to.equal('10')
  })

  inLongRun('sends nothing on another network, when the wallet lacks the one that was chosen', async () => {
    const wallet = await walletOf({ lacks: [chainOf('bnb').chainId] })
    await open(await createCharge(devnet, { acceptedPayments: BOTH }), 'token=USDC&network=bnb')
    await payButton().click()
    await says(/Your wallet did not switch to BNB Smart Chain/)
    expect(sentCount(wallet)).to.equal(0)
  })

  inLongRun('can be followed without a script, by reloading', async () => {
    await context.close()
    context = await browser.newContext({ javaScriptEnabled: false })
    page = await context.newPage()
    const charge = await createCharge(devnet)
    await open(charge)
    await says(charge.address)
    await pay(devnet, { charge })
    await waitFor(
      async () => {
        await page.reload()
        return (await page.title()) === 'Paid'
      },
      { what: 'a page that says paid', timeoutMs: 60_000, intervalMs: 500 },
    )
  })

  it('is shown within seconds when it was made elsewhere: the stream tells of it', async () => {
    const charge = await createCharge(devnet)
    await open(charge)
    await title('Pay 10.00 USD')
    await pay(devnet, { charge })
    await waitFor(async () => (await getCharge(devnet, charge.id)).status === 'confirmed', {
      what: 'the payment to be credited',
      timeoutMs: 60_000,
    })
    // Beside a stream it asks by itself once a minute only.
    await title('Paid', RIGHT_WITHIN_MS)
  })

  inLongRun('is shown within seconds when the service was away', async () => {
    const charge = await createCharge(devnet)
    await open(charge)
    await devnet.api.kill()
    await says(/Not live at the moment/)
    await pay(devnet, { charge })
    await devnet.api.start()
    await waitFor(async () => (await getCharge(devnet, charge.id)).status === 'confirmed', {
      what: 'the payment to be credited',
      timeoutMs: 60_000,
    })
    await title('Paid', RIGHT_WITHIN_MS)
    expect(await page.getByText(/Not live/).count()).to.equal(0)
  })

  inLongRun('is shown within seconds when the tab was away for ten minutes', async () => {
    const charge = await createCharge(devnet)
    await page.clock.install()
    await open(charge)
    await title('Pay 10.00 USD')
    await context.setOffline(true)
    await pay(devnet, { charge })
    await waitFor(async () => (await getCharge(devnet, charge.id)).status === 'confirmed', {
      what: 'the payment to be credited',
      timeoutMs: 60_000,
    })
    await page.clock.fastForward('10:00')
    await context.setOffline(false)
    await page.clock.runFor(2000)
    await title('Paid', RIGHT_WITHIN_MS)
  })
})
