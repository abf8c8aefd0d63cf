import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import type { PageCheckout } from '../../api/checkout/page-data.ts'
import { createChainClient } from '../../shared/chain/nodes/client.ts'
import { type DevnetAccount, deriveAccount } from '../devnet/accounts.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { BASE } from '../devnet/networks.ts'
import { sendTokens } from '../devnet/send-tokens.ts'
import { asEip1193, createWallet } from '../devnet/swap/as-eip1193.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { startBrowser } from '../support/browser.ts'
import { injectWallet } from '../support/fake-wallet.ts'
import { createPayerView, type PayerView } from '../support/payer-view.ts'
import { type ChargeJson, createCharge, getCharge, waitForCharge } from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const inLongRun = process.env['TEST_LONG'] === '1' ? describe : () => undefined

/** The account that executes authorizations. It has no other role on the devnet. */
const AUTHORIZATIONS = deriveAccount(9)

/** Two payers without native coins, because only the devnet's first ten accounts have native coins. */
const [WITHOUT_COIN, WITHOUT_ANYTHING] = [deriveAccount(60), deriveAccount(61)]

/**
 * Uses the whole stack. `sign.test.ts`, which is part of every run, tests the page's behaviour after each response of a
 * simulated service.
 */
inLongRun('paying without gas on the checkout page, in a browser', function () {
  // A devnet starts in twenty seconds on an idle machine.
  this.timeout(400_000)
  let devnet: Devnet
  let browser: Browser
  let page: Page
  let view: PayerView

  before(async () => {
    const directory = await temporaryDirectory('browser-without-gas')
    ;[devnet, browser] = await Promise.all([
      startDevnet({
        ...{ directory, program: 'dist', chains: [BASE], graceSeconds: 1 },
        settings: {
          indexer: {
            PAY_BY_SIGNATURE_NETWORKS: 'base',
            PAY_BY_SIGNATURE_PRIVATE_KEY: AUTHORIZATIONS.privateKey,
          },
        },
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

  const baseOf = () => devnet.description.networks.base?.live ?? expect.fail('there is no base')
  /** Installs a wallet with its own key. Returns a function that counts the requests with a method. */
  const walletOf = async (account: DevnetAccount) => {
    const wallet = asEip1193(createWallet(baseOf(), account))
    const { asked } = await injectWallet(page, {
      chains: { [BASE.chainId]: (method, params) => wallet.request({ method, params }) },
      ...{ chainId: BASE.chainId, accounts: [account.address] },
    })
    return (wanted: string) => asked.filter((method) => method === wanted).length
  }
  /** Opens the page of a new charge once a daemon accepts signatures for it. */
  const openSignable = async (): Promise<ChargeJson> => {
    const charge = await createCharge(devnet)
    await waitFor(
      async () => {
        const answer = await fetch(`${charge.checkoutUrl}/state.json`)
        return ((await answer.json()) as PageCheckout).payBySignature.length > 0
      },
      { what: 'a charge that can be paid by signature', timeoutMs: 60_000, intervalMs: 200 },
    )
    await page.goto(`${charge.checkoutUrl}?token=USDC&network=base`)
    await view.title('10.00 USD')
    return charge
  }
  const signInstead = () => page.getByRole('button', { name: 'Pay without a network fee', exact: true })
  const confirmed = ({ id }: ChargeJson) =>
    waitForCharge(devnet, id, { what: 'confirmed', holds: ({ status }) => status === 'confirmed' })

  it('works with a wallet without native coins: the wallet signs but sends nothing, and the page shows the payment', async () => {
    await sendTokens(devnet.description, {
      ...{ token: 'USDC', network: 'base', amount: '10' },
      ...{ from: devnet.description.accounts.payer, to: WITHOUT_COIN.address },
    })
    const countOf = await walletOf(WITHOUT_COIN)
    const charge = await openSignable()
    await view.payButton().click()
    await view.says(new RegExp(`exactly 10 USDC goes once to ${charge.address}`))
    await signInstead().click()
    await view.title('Paid. Thank you!')
    await view.expectNothingAsked(charge)
    const { amountReceivedExact, txHash, authorization } = await confirmed(charge)
    expect(authorization).to.include({ state: 'mined', txHash, payer: WITHOUT_COIN.address })
    expect([amountReceivedExact, countOf('eth_signTypedData_v4')]).to.deep.equal(['10', 1])
    expect(countOf('eth_sendTransaction')).to.equal(0)
    const client = createChainClient({ chainId: BASE.chainId, rpcUrls: [baseOf().rpcUrl] })
    const { address } = WITHOUT_COIN
    const spent = [await client.getBalance({ address }), await client.getTransactionCount({ address })]
    expect(spent, 'native coins and transactions of the payer').to.deep.equal([0n, 0])
  })

  it('shows an error and sends nothing for a wallet without tokens', async () => {
    const countOf = await walletOf(WITHOUT_ANYTHING)
    const charge = await openSignable()
    await view.payButton().click()
    await signInstead().click()
    await view.says('Your account does not have enough USDC, and nothing was sent.')
    expect(await view.payButton().isVisible(), 'a way to pay').to.equal(true)
    const { status, authorization } = await getCharge(devnet, charge.id)
    expect([status, authorization ?? null, countOf('eth_sendTransaction')]).to.deep.equal([
      'pending',
      null,
      0,
    ])
  })

  it('is not offered to a wallet with native coins, which receives an ordinary transfer request', async () => {
    const countOf = await walletOf(devnet.description.accounts.payer)
    const charge = await openSignable()
    await view.payButton().click()
    await view.title('Paid. Thank you!')
    expect((await confirmed(charge)).amountReceivedExact).to.equal('10')
    expect([countOf('eth_sendTransaction'), countOf('eth_signTypedData_v4')]).to.deep.equal([1, 0])
  })
})
