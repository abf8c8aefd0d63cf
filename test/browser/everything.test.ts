import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { parseUnits } from 'viem'
import type { Pair } from '../../shared/domain/networks.ts'
import { ACCOUNTS } from '../devnet/accounts.ts'
import { ARC_CHAIN } from '../devnet/arc/arc-chain.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { BASE } from '../devnet/networks.ts'
import { sendNative } from '../devnet/send-tokens.ts'
import { asEip1193, createWallet } from '../devnet/swap/as-eip1193.ts'
import { startSwap } from '../devnet/swap/start-swap.ts'
import { TRON_ACCOUNTS } from '../devnet/tron/accounts.ts'
import { TRON_PLAN } from '../devnet/tron/tron-plan.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { startBrowser } from '../support/browser.ts'
import { injectTronWallet } from '../support/fake-tron-wallet.ts'
import { type AskChain, injectWallet } from '../support/fake-wallet.ts'
import { createPayerView, type PayerView, RIGHT_WITHIN_MS } from '../support/payer-view.ts'
import { readQrCode } from '../support/read-qr-code.ts'
import { type ChargeJson, createCharge, waitForCharge } from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { createStranger } from '../support/tronweb-client.ts'

const inLongRun = process.env['TEST_LONG'] === '1' ? describe : () => undefined

const ON_ARC: Pair = { token: 'USDC', network: 'arc' }
const ON_TRON: Pair = { token: 'USDT', network: 'tron' }

/** The page's texts for the last steps of a swap. */
const SIGN = 'Sign the exact amount. This costs nothing.'
const SEND = 'Send the payment. Your wallet shows the fee.'

inLongRun('paying on the checkout page, on a devnet with swaps, Arc and TRON', function () {
  this.timeout(600_000)
  let devnet: Devnet
  let browser: Browser
  let page: Page
  let view: PayerView

  before(async () => {
    const directory = await temporaryDirectory('browser-everything')
    ;[devnet, browser] = await Promise.all([
      startDevnet({
        ...{ directory, program: 'dist', graceSeconds: 1 },
        ...{ chains: [BASE, ARC_CHAIN, TRON_PLAN], extras: [startSwap] },
      }),
      startBrowser(),
    ])
  })
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 390, height: 800 } })
    page.setDefaultTimeout(60_000)
    view = createPayerView(page)
  })
  afterEach(() => page?.close())
  after(async () => {
    await browser?.close()
    await devnet?.stop()
  })

  const open = async ({ checkoutUrl }: ChargeJson, { token, network }: Pair, way = 'wallet') => {
    await page.goto(`${checkoutUrl}?token=${token}&network=${network}&way=${way}`)
    await view.title('10.00 USD')
  }
  /** Installs a wallet with its own key, set to base. Returns a function that counts the requests with a method. */
  const walletOf = async () => {
    const { payer } = devnet.description.accounts
    const chains = (['base', 'arc'] as const).map((network): [number, AskChain] => {
      const chain = devnet.description.networks[network]?.live ?? expect.fail(`there is no ${network}`)
      const wallet = asEip1193(createWallet(chain, payer))
      return [chain.chainId, (method, params) => wallet.request({ method, params })]
    })
    const { asked } = await injectWallet(page, {
      ...{ chains: Object.fromEntries(chains), chainId: BASE.chainId, accounts: [payer.address] },
    })
    return (wanted: string) => asked.filter((method) => method === wanted).length
  }
  const untilPaid = async (charge: ChargeJson) => {
    const { amountReceivedExact } = await waitForCharge(devnet, charge.id, {
      ...{ what: 'confirmed', holds: ({ status }) => status === 'confirmed' },
    })
    await view.title('Paid. Thank you!', RIGHT_WITHIN_MS)
    await view.expectNothingAsked(charge)
    expect(amountReceivedExact).to.equal('10')
  }
  const swapFrom = async (asset: string) => {
    await page.getByText('Pay with another token').click()
    await page.getByRole('button', { name: `Pay with ${asset} (Base) using Test Wallet` }).click()
  }
  /** Waits until the page lists exactly these steps. */
  const untilSteps = (...wanted: readonly string[]) =>
    waitFor(async () => (await page.locator('#wallet .steps li').allInnerTexts()).join() === wanted.join(), {
      what: wanted.join(),
      timeoutMs: 60_000,
    })
  const goOn = () => page.getByRole('button', { name: 'Continue in Test Wallet' }).click()

  it('works with a swap of the native coin, in one transaction', async () => {
    const countOf = await walletOf()
    const charge = await createCharge(devnet)
    await open(charge, { token: 'USDC', network: 'base' })
    await swapFrom('ETH')
    await untilSteps(SEND)
    expect(countOf('eth_sendTransaction')).to.equal(0)
    await goOn()
    await untilPaid(charge)
    expect(countOf('eth_sendTransaction')).to.equal(1)
  })

  it('works with a swap of a token: first the approval, then a new quote', async () => {
    const countOf = await walletOf()
    const charge = await createCharge(devnet)
    await open(charge, { token: 'USDC', network: 'base' })
    await swapFrom('LINK')
    await untilSteps('Allow Permit2 to use your LINK. Then you get a new price.', SIGN, SEND)
    await goOn()
    await untilSteps(SIGN, SEND)
    await goOn()
    await untilPaid(charge)
    expect([countOf('eth_sendTransaction'), countOf('eth_signTypedData_v4')]).to.deep.equal([2, 1])
  })

  it('works on Arc with a wallet that sends USDC, the token that is also the native coin', async () => {
    const countOf = await walletOf()
    const charge = await createCharge(devnet, { acceptedPayments: [ON_ARC] })
    await open(charge, ON_ARC)
    await view.payButton().click()
    await untilPaid(charge)
    expect(countOf('wallet_switchEthereumChain')).to.equal(1)
  })

  it('works on Arc manually, with a plain transfer of native coins', async () => {
    const charge = await createCharge(devnet, { acceptedPayments: [ON_ARC] })
    await open(charge, ON_ARC, 'scan')
    expect(readQrCode(await page.content())).to.equal(charge.address)
    const from = devnet.description.accounts.payer
    await sendNative(devnet.description, { ...ON_ARC, from, to: charge.address, amount: '10' })
    await untilPaid(charge)
  })

  it('works on TRON with a TRON wallet, and sends the payment only once despite a reload', async () => {
    const { httpUrl } = devnet.description.networks.tron?.live ?? expect.fail('the devnet has no TRON')
    const wallet = await injectTronWallet(page, {
      nodeUrl: httpUrl,
      accounts: [TRON_ACCOUNTS.tronPayer, ACCOUNTS.payer],
    })
    const charge = await createCharge(devnet, { acceptedPayments: [ON_TRON] })
    await open(charge, ON_TRON)
    await page.getByRole('button', { name: 'Pay 10.00 USDT with Tron Wallet', exact: true }).click()
    await view.reload('We can see your payment', /TRON \(TRC-20\): \d+ of 19 confirmations/)
    await view.expectNothingAsked(charge)
    await untilPaid(charge)
    expect(wallet.asked.filter((method) => method === 'broadcasttransaction')).to.have.length(1)
  })

  it('works on TRON manually with the shown address, amount and token, and shows the confirmations', async () => {
    const { networks, accounts } = devnet.description
    const { httpUrl } = networks.tron?.live ?? expect.fail('the devnet has no TRON')
    if (!('tronPayer' in accounts)) throw new Error('the devnet has no payer on TRON')
    const charge = await createCharge(devnet, { acceptedPayments: [ON_TRON] })
    await open(charge, ON_TRON, 'scan')
    const textOf = async (label: string) =>
      page
        .locator('.rows > div', { has: page.getByText(label) })
        .locator('[data-copy]')
        .textContent()
    const to = (await textOf('To address')) ?? ''
    expect([to, readQrCode(await page.content())]).to.deep.equal([charge.address, charge.address])
    const units = parseUnits((await textOf('Amount')) ?? '', 6)
    const token = (await textOf('Token contract')) ?? ''
    await createStranger({ httpUrl, privateKey: accounts.tronPayer.privateKey }).pay({ token, to, units })
    await view.reload('We can see your payment', /TRON \(TRC-20\): \d+ of 19 confirmations/)
    await view.expectNothingAsked(charge)
    await untilPaid(charge)
  })
})
