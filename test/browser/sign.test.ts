import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Checkout } from '../../api/checkout/project.ts'
import type { Address } from '../../shared/domain/address.ts'
import { authorizationTypedData } from '../../shared/domain/authorization.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { startBrowser } from '../support/browser.ts'
import { checkoutOf } from '../support/checkout.ts'
import { EXPIRES_AT } from '../support/factories.ts'
import { type FakeWallet, injectWallet, type WalletWays } from '../support/fake-wallet.ts'
import { type PayerView, viewOf } from '../support/payer-view.ts'
import { bundleScript, type StagedPage, stagePage } from '../support/staged-page.ts'

const BASE = 'token=USDC&network=base'
const PAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const HASH = `0x${'ab'.repeat(32)}`
const SIGNATURE = `0x${'cd'.repeat(65)}`
const NONCE = `0x${'01'.repeat(32)}` as const
/** Long before the deadline. */
const NOW = new Date(EXPIRES_AT.getTime() - 20 * 60_000)
/** What a transfer takes, at a gwei. */
const [GAS_PRICE, MUCH] = ['0x3b9aca00', '0xde0b6b3a7640000']

describe('the checkout’s page, where a signature alone pays', function () {
  this.timeout(240_000)
  let browser: Browser
  let script: string
  let context: BrowserContext
  let page: Page
  let view: PayerView
  let stage: StagedPage
  let first: Checkout
  let balance: string
  let sign: () => Promise<unknown>
  /** What the wallet was asked to sign. */
  let signed: unknown[]

  before(async () => {
    ;[browser, script] = await Promise.all([startBrowser(), bundleScript()])
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 390, height: 800 } })
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    view = viewOf(page)
    first = { ...checkoutOf(), payBySignature: [{ token: 'USDC', network: 'base' }] }
    balance = '0x0'
    sign = () => Promise.resolve(SIGNATURE)
    signed = []
  })
  afterEach(() => context?.close())
  after(() => browser?.close())

  const wallet = (change: Partial<WalletWays> = {}, on = page): Promise<FakeWallet> => {
    const chain = async (method: string, params: readonly unknown[]) => {
      if (method === 'eth_getBalance') return balance
      if (method === 'eth_gasPrice') return GAS_PRICE
      if (method === 'eth_sendTransaction') return HASH
      if (method !== 'eth_signTypedData_v4') return null
      signed.push(JSON.parse(String(params[1])))
      return sign()
    }
    return injectWallet(on, { chains: { 8453: chain }, chainId: 8453, accounts: [PAYER], ...change })
  }
  const open = async () => {
    stage = await stagePage(page, { script, first, now: () => NOW })
    stage.ask([asked()])
    await page.goto(stage.url(BASE))
  }
  /** Five minutes from now by this machine's clock, which is the browser's. */
  const asked = (change: { readonly to?: string; readonly validBefore?: bigint } = {}) => {
    const payment = first.howToPay?.payments.find(({ network }) => network === 'base')
    if (payment === undefined) throw new Error('it cannot be paid on base')
    const { chainId, tokenAddress, amountAtomic } = payment
    const typedData = authorizationTypedData({
      ...{ chainId, token: tokenAddress.toLowerCase() as Address },
      domain: { name: 'USD Coin', version: '2' },
      authorization: {
        from: PAYER.toLowerCase() as Address,
        to: (change.to ?? first.howToPay?.address ?? '').toLowerCase() as Address,
        value: BigInt(amountAtomic),
        validAfter: 0n,
        validBefore: change.validBefore ?? BigInt(Math.floor(Date.now() / 1000)) + 300n,
        nonce: NONCE,
      },
    })
    return { token: 'USDC', network: 'base', typedData }
  }
  const mined = { status: 200, json: { authorization: { state: 'mined', txHash: HASH } } }
  const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const expectNothingAsked = () =>
    view.expectNothingAsked({ address: first.howToPay?.address ?? expect.fail('it cannot be paid') })

  it('asks a wallet that has coin for a transfer as always, and offers nothing else', async () => {
    balance = MUCH
    const { asked: methods } = await wallet()
    await open()
    await view.payButton().click()
    await view.title('Sent by your wallet')
    expect(methods).to.include('eth_sendTransaction').and.not.include('eth_signTypedData_v4')
  })

  it('offers nothing else to a wallet without coin where the pair takes no signature', async () => {
    first = checkoutOf()
    const { asked: methods } = await wallet()
    await open()
    await view.payButton().click()
    await view.title('Sent by your wallet')
    expect(methods).not.to.include('eth_signTypedData_v4')
  })

  it('tells a wallet without coin what it would sign, has it sign that and send nothing', async () => {
    const { asked: methods } = await wallet()
    await open()
    stage.carryOut(mined)
    await view.payButton().click()
    const { address } = first.howToPay ?? {}
    await view.says(new RegExp(`exactly 10 USDC go once to ${address}.*no approval remains`))
    expect(signed).to.deep.equal([])
    await click('Pay without gas')
    await view.title('Signed, and on its way')
    await view.says(HASH)
    await expectNothingAsked()
    expect(signed).to.deep.equal([asked({ validBefore: validBeforeOf(signed[0]) }).typedData])
    expect(stage.signatures).to.deep.equal([
      {
        ...{ network: 'base', token: 'USDC', from: PAYER, value: '10000000', validAfter: '0', nonce: NONCE },
        ...{ validBefore: String(validBeforeOf(signed[0])), signature: SIGNATURE },
      },
    ])
    expect(methods).not.to.include('eth_sendTransaction')
  })

  it('lets who knows better send it all the same', async () => {
    const { asked: methods } = await wallet()
    await open()
    await view.payButton().click()
    await click('Send it with my wallet all the same')
    await view.title('Sent by your wallet')
    expect([methods.includes('eth_sendTransaction'), signed]).to.deep.equal([true, []])
  })

  it('is quiet when the payer declines, and can be begun anew', async () => {
    sign = () => Promise.reject(Object.assign(new Error('User rejected'), { code: 4001 }))
    await wallet()
    await open()
    await view.payButton().click()
    await click('Pay without gas')
    await view.says('You declined in your wallet. Nothing was sent.')
    expect(stage.signatures).to.deep.equal([])
    sign = () => Promise.resolve(SIGNATURE)
    stage.carryOut(mined)
    await view.payButton().click()
    await click('Pay without gas')
    await view.title('Signed, and on its way')
  })

  it('says so when the service does not take it, and nothing was sent', async () => {
    await wallet()
    await open()
    stage.carryOut({ status: 422, json: { error: { code: 'insufficient_balance', message: '' } } })
    await view.payButton().click()
    await click('Pay without gas')
    await view.says(/Paying without gas is not possible at the moment, and nothing was sent/)
    expect(await view.payButton().isVisible()).to.equal(true)
  })

  it('has nothing signed that pays another address than the page shows', async () => {
    await wallet()
    await open()
    stage.ask([asked({ to: PAYER })])
    await view.payButton().click()
    await click('Pay without gas')
    await view.says(/Paying without gas is not possible at the moment/)
    expect(signed).to.deep.equal([])
  })

  it('never offers to sign again when the service’s answer was lost, in no tab and after no reload', async () => {
    await wallet()
    await open()
    stage.carryOut(null)
    await view.payButton().click()
    await click('Pay without gas')
    await view.title('Signed, and on its way')
    await expectNothingAsked()
    expect(await page.locator('#sent button').count(), 'a way to pay again').to.equal(0)
    await page.reload()
    await view.title('Signed, and on its way')
    await expectNothingAsked()

    const other = await context.newPage()
    await wallet({}, other)
    await stagePage(other, { script, first, now: () => NOW })
    await other.goto(stage.url(BASE))
    await viewOf(other).title('Signed, and on its way')
    expect(await viewOf(other).payButton().isVisible(), 'a wallet in another tab').to.equal(false)
  })

  it('shows how to pay again once what was signed has lapsed and the service asks anew', async () => {
    await wallet()
    await open()
    stage.ask([asked({ validBefore: BigInt(Math.floor(Date.now() / 1000)) + 3n })])
    stage.carryOut(null)
    await view.payButton().click()
    await click('Pay without gas')
    await view.title('Signed, and on its way')
    stage.ask(null)
    const overAtMs = Date.now() + 4000
    await waitFor(() => Date.now() > overAtMs, { what: 'its time to be over', timeoutMs: 10_000 })
    await view.title('Signed, and on its way')
    stage.ask([asked()])
    await view.says(/What you signed was not carried out and can no longer be/)
    await view.payButton().waitFor()
  })
})

function validBeforeOf(typedData: unknown): bigint {
  return BigInt((typedData as { message: { validBefore: string } }).message.validBefore)
}
