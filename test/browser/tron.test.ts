import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { parseAbi } from 'viem'
import type { ScriptBundles } from '../../api/checkout/page-script.ts'
import { parseTronAddress } from '../../shared/domain/chain-families/tron/address.ts'
import { ACCOUNTS } from '../devnet/accounts.ts'
import { TRON_USDT } from '../devnet/tron/addresses.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { watchPolicy } from '../support/accessibility.ts'
import { startBrowser } from '../support/browser.ts'
import { buildCheckout } from '../support/checkout.ts'
import { EXPIRES_AT } from '../support/factories.ts'
import {
  type FakeTronWallet,
  injectTronWallet,
  NILE,
  type TronWalletWays,
} from '../support/fake-tron-wallet.ts'
import { injectWallet } from '../support/fake-wallet.ts'
import { bundleScripts, type StagedPage, stagePage } from '../support/staged-page.ts'
import { addressOf, createTronFixture, mintUsdt, type TronFixture } from '../support/tron-fixture.ts'

/**
 * Defines a test only in `npm run test:long`. Every run covers wallets that pay, decline, or stay on another network.
 */
const inLongRun = process.env['TEST_LONG'] === '1' ? it : () => undefined

const USDT = 'token=USDT&network=tron'
const TEN_USDT = 10_000_000n
const NOW = new Date(EXPIRES_AT.getTime() - 20 * 60_000)

describe('paying on TRON by a wallet, in a browser', function () {
  this.timeout(240_000)
  let tron: TronFixture
  let browser: Browser
  let scripts: ScriptBundles
  let context: BrowserContext
  let page: Page
  let stage: StagedPage
  let refused: readonly string[]

  before(async () => {
    ;[tron, browser, scripts] = await Promise.all([createTronFixture(), startBrowser(), bundleScripts()])
    await mintUsdt(tron, addressOf(ACCOUNTS.payer), 100n * TEN_USDT)
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 390, height: 800 } })
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    refused = watchPolicy(page)
  })
  afterEach(() => context?.close())
  after(async () => {
    await browser?.close()
    await tron?.stop()
  })

  const open = async (ways: Partial<TronWalletWays> = {}) => {
    const checkout = buildCheckout({ family: 'tron', acceptedPayments: ['USDT/tron'] })
    stage = await stagePage(page, { scripts, first: checkout, now: () => NOW })
    const accounts = [ACCOUNTS.payer, ACCOUNTS.payer2] as const
    const wallet = await injectTronWallet(page, { nodeUrl: tron.url, accounts, ...ways })
    await page.goto(stage.url(USDT))
    return { wallet, address: checkout.howToPay?.address ?? '' }
  }
  const payButton = (name = 'Tron Wallet') =>
    page.getByRole('button', { name: `Pay 10.00 USDT with ${name}`, exact: true })
  const says = (text: string | RegExp) => page.getByText(text).first().waitFor()
  /** Mines a block, and returns the balance of the address. */
  const arrivedAt = async (address: string): Promise<bigint> => {
    await tron.chain.mine()
    return tron.client.readContract({
      ...{ address: TRON_USDT, abi: parseAbi(['function balanceOf(address) view returns (uint256)']) },
      ...{ functionName: 'balanceOf', args: [parseTronAddress(address) ?? expect.fail(address)] },
    })
  }
  const expectNothingSent = async (wallet: FakeTronWallet, address: string) => {
    expect(wallet.asked).not.to.include('broadcasttransaction')
    expect(await arrivedAt(address)).to.equal(0n)
    expect(await payButton().isEnabled()).to.equal(true)
  }

  it('sends the requested transfer without violating the content security policy, and requests a check of its hash', async () => {
    const { address } = await open()
    await payButton().click()
    await says('Please do not send it again.')
    expect(await arrivedAt(address)).to.equal(TEN_USDT)
    await waitFor(() => stage.checks.length > 0, { what: 'a check of the page', timeoutMs: 60_000 })
    const { txHash, network } = stage.checks[0] as { txHash: string; network: string }
    expect(network).to.equal('tron')
    expect(txHash).to.match(/^[0-9a-f]{64}$/)
    expect(tron.chain.find(`0x${txHash}`)?.transaction.result).to.equal('SUCCESS')
    expect(refused).to.deep.equal([])
    await page.reload()
    await says('Please do not send it again.')
    expect(await page.locator('#how').isVisible()).to.equal(false)
  })

  it('sends nothing if the payer declines, and shows the wallet’s message', async () => {
    const { wallet, address } = await open({ rejects: 'text' })
    await payButton().click()
    await says('Your wallet did not sign, so nothing was sent. It said: Confirmation declined by user')
    await expectNothingSent(wallet, address)
  })

  it('sends nothing on a network that the payer did not choose', async () => {
    const { wallet, address } = await open({ chainId: NILE, stays: true })
    await payButton().click()
    await says(/Your wallet did not switch to TRON \(TRC-20\)\. Switch there/)
    expect(wallet.asked).not.to.include('sign')
    await expectNothingSent(wallet, address)
  })

  it('offers TRON wallets only on TRON, and other wallets only elsewhere', async () => {
    await injectWallet(page, { chains: {}, chainId: 1, accounts: [] })
    await open()
    await payButton().waitFor()
    expect(await page.getByRole('button', { name: /^Pay 10/ }).allTextContents()).to.deep.equal([
      'Pay 10.00 USDT with Tron Wallet',
    ])
    stage = await stagePage(page, { scripts, first: buildCheckout(), now: () => NOW })
    await page.goto(stage.url('token=USDC&network=base'))
    await page.getByRole('button', { name: /with Test Wallet$/ }).waitFor()
    expect(await payButton().count()).to.equal(0)
  })

  inLongRun('sends nothing if the wallet reports a refusal by an error code', async () => {
    const { wallet, address } = await open({ rejects: 'code' })
    await payButton().click()
    await says('You cancelled in your wallet. Nothing was sent.')
    await expectNothingSent(wallet, address)
  })

  inLongRun('switches the wallet to the main network first', async () => {
    const { wallet, address } = await open({ chainId: NILE })
    await payButton().click()
    await says('Please do not send it again.')
    expect(wallet.asked.indexOf('wallet_switchEthereumChain')).to.be.within(0, wallet.asked.indexOf('sign'))
    expect(await arrivedAt(address)).to.equal(TEN_USDT)
  })

  inLongRun('sends nothing from an account that the payer did not choose', async () => {
    const { wallet, address } = await open({ changesAccount: true })
    await payButton().click()
    await says(/The account in your wallet changed/)
    await expectNothingSent(wallet, address)
  })

  inLongRun('treats a payment as sent if the node’s response to it was lost', async () => {
    const { address } = await open({ losesAnswer: true })
    await payButton().click()
    await says('Please do not send it again.')
    expect(await arrivedAt(address)).to.equal(TEN_USDT)
  })

  inLongRun('reports that a payment failed on the network, and requests the payment again', async () => {
    const { address } = await open({ accounts: [ACCOUNTS.payer2, ACCOUNTS.payer] })
    await payButton().click()
    await says('Please do not send it again.')
    expect(await arrivedAt(address), 'payer2 has no USDT').to.equal(0n)
    // A failure counts only in a solidified block.
    for (let block = 0; block < 20; block += 1) await tron.chain.mine()
    await says(/The transaction failed on the network/)
    await page.locator('#how').waitFor()
  })

  inLongRun('is offered with a wallet that announces itself late', async () => {
    await open({ announcesAfterMs: 3000 })
    await payButton().waitFor()
  })

  inLongRun('is offered with a wallet that does not announce itself', async () => {
    await open({ announcesAfterMs: null })
    await payButton('TRON').waitFor()
  })
})
