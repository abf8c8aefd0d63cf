import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { ScriptBundles } from '../../api/checkout/page-script.ts'
import type { Checkout } from '../../api/checkout/project.ts'
import type { Address } from '../../shared/domain/address.ts'
import { authorizationTypedData } from '../../shared/domain/eip3009/authorization.ts'
import type { ErrorCode } from '../../shared/domain/errors.ts'
import { startBrowser } from '../support/browser.ts'
import { buildCheckout } from '../support/checkout.ts'
import { EXPIRES_AT } from '../support/factories.ts'
import { type FakeWallet, injectWallet, type WalletWays } from '../support/fake-wallet.ts'
import { createPayerView, type PayerView } from '../support/payer-view.ts'
import {
  bundleScripts,
  type Failure,
  type Outcome,
  STREAM_THAT_STAYS,
  type StagedPage,
  sendByStream,
  stagePage,
} from '../support/staged-page.ts'

const BASE = 'token=USDC&network=base'
const PAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const HASH = `0x${'ab'.repeat(32)}`
const SIGNATURE = `0x${'cd'.repeat(65)}`
const NONCE = `0x${'01'.repeat(32)}` as const
/** Time of the service, 20 minutes before the deadline. The browser uses this machine's clock, which is later. */
const NOW = new Date(EXPIRES_AT.getTime() - 20 * 60_000)
/** A gas price of one gwei, and a balance of one coin, which covers the gas of a transfer. Both in wei. */
const [GAS_PRICE, MUCH] = ['0x3b9aca00', '0xde0b6b3a7640000']

/** Script that shortens the page's 45 s timeout for a submission to 250 ms. */
const SHORTER_WAIT = `
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  AbortSignal.timeout = (ms) => timeout(ms === 45_000 ? 250 : ms)`

/** Longer than the minimum interval of 12 s between two checks of the page (`CHECK_MS`). */
const BETWEEN_LOOKS_MS = 13_000

/** Error codes that prove that nothing was sent, each with the page's message. */
const REFUSALS: ReadonlyArray<readonly [ErrorCode, string]> = [
  ['authorization_invalid', 'This signature cannot be used here, and nothing was sent.'],
  ['authorization_used', 'This signature cannot be used here, and nothing was sent.'],
  ['insufficient_balance', 'Your account does not have enough USDC, and nothing was sent.'],
]
/** Error codes after which nothing was sent, and the page does not offer signing for a minute. */
const REST: readonly ErrorCode[] = ['signature_payment_unavailable', 'payment_temporarily_unavailable']

/** Responses that leave the outcome unknown. */
const UNKNOWN: ReadonlyArray<readonly [string, Outcome | ErrorCode | Failure]> = [
  ['the connection broke', 'a broken line'],
  ['the service did not respond in time', 'silence'],
  ['another payment is in progress', 'payment_in_progress'],
  ['the payment is pending without a hash', { status: 202, json: { authorization: { txHash: null } } }],
  ['the service was unavailable', 'service_unavailable'],
  ['the service had an internal error', 'internal_error'],
  ['a proxy rejected the request', { status: 422, body: '<h1>no</h1>' }],
  ['a proxy timed out', { status: 503, json: {} }],
  ['the response was truncated', { status: 200, body: '{"authori' }],
]

/** Responses of the service while no signature is in flight: an error code, or `null` for a new authorization. */
const NEXT: ReadonlyArray<readonly [string, ErrorCode | null]> = [
  ['a new signature is offered', null],
  ['the service accepts no signatures now', 'signature_payment_unavailable'],
  ['the service cannot monitor payments now', 'payment_temporarily_unavailable'],
  ['too little time is left for another signature', 'charge_not_payable'],
]

const SEEN = { network: 'base', blocksSeen: 1, blocksRequired: 12 } as const

describe('the checkout page with payment by signature', function () {
  this.timeout(240_000)
  let browser: Browser
  let scripts: ScriptBundles
  let context: BrowserContext
  let page: Page
  let view: PayerView
  let stage: StagedPage
  let first: Checkout
  let balance: string
  let now: Date
  let sign: () => Promise<unknown>
  /** The typed data that the wallet was asked to sign. */
  let signed: unknown[]

  before(async () => {
    ;[browser, scripts] = await Promise.all([startBrowser(), bundleScripts()])
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 390, height: 800 } })
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    view = createPayerView(page)
    first = { ...buildCheckout(), payBySignature: [{ token: 'USDC', network: 'base' }] }
    balance = '0x0'
    now = NOW
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
    stage = await stagePage(page, { scripts, first, now: () => now })
    stage.ask([asked()])
    await page.goto(stage.url(BASE))
  }
  /** Builds the authorization that the service asks the payer to sign, on base, valid for five minutes. */
  const asked = (change: { readonly to?: string } = {}) => {
    const payment = first.howToPay?.payments.find(({ network }) => network === 'base')
    if (payment === undefined) throw new Error('the charge cannot be paid on base')
    const { chainId, tokenAddress, amountAtomic } = payment
    const typedData = authorizationTypedData({
      ...{ chainId, token: tokenAddress.toLowerCase() as Address },
      domain: { name: 'USD Coin', version: '2' },
      authorization: {
        from: PAYER.toLowerCase() as Address,
        to: (change.to ?? first.howToPay?.address ?? '').toLowerCase() as Address,
        value: BigInt(amountAtomic),
        validAfter: 0n,
        validBefore: BigInt(now.getTime() / 1000) + 300n,
        nonce: NONCE,
      },
    })
    return { token: 'USDC', network: 'base', typedData }
  }
  const mined = { status: 200, json: { authorization: { state: 'mined', txHash: HASH } } }
  const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const expectNothingAsked = () =>
    view.expectNothingAsked({ address: first.howToPay?.address ?? expect.fail('it cannot be paid') })

  it('requests an ordinary transfer from a wallet with native coins, and offers no signature', async () => {
    balance = MUCH
    const { asked: methods } = await wallet()
    await open()
    await view.payButton().click()
    await view.title('Sent from your wallet')
    expect(methods).to.include('eth_sendTransaction').and.not.include('eth_signTypedData_v4')
  })

  it('does not offer a signature to a wallet without native coins if the pair does not support payment by signature', async () => {
    first = buildCheckout()
    const { asked: methods } = await wallet()
    await open()
    await view.payButton().click()
    await view.title('Sent from your wallet')
    expect(methods).not.to.include('eth_signTypedData_v4')
  })

  it('shows the authorization, then has a wallet without native coins sign it but send nothing', async () => {
    const { asked: methods } = await wallet()
    await open()
    stage.carryOut(mined)
    await view.payButton().click()
    const { address } = first.howToPay ?? {}
    await view.says(new RegExp(`exactly 10 USDC goes once to ${address}.*no permission stays behind`))
    expect(signed).to.deep.equal([])
    await click('Pay without a network fee')
    await view.title('Signed and on its way')
    await view.says(HASH)
    await expectNothingAsked()
    expect(signed).to.deep.equal([asked().typedData])
    expect(stage.signatures).to.deep.equal([
      {
        ...{ network: 'base', token: 'USDC', from: PAYER, value: '10000000', validAfter: '0', nonce: NONCE },
        ...{ validBefore: asked().typedData.message.validBefore, signature: SIGNATURE },
      },
    ])
    expect(methods).not.to.include('eth_sendTransaction')
  })

  it('lets the payer send a transfer instead of signing', async () => {
    const { asked: methods } = await wallet()
    await open()
    await view.payButton().click()
    await click('Send from my wallet anyway')
    await view.title('Sent from your wallet')
    expect([methods.includes('eth_sendTransaction'), signed]).to.deep.equal([true, []])
  })

  it('shows a message when the payer declines to sign, and lets them start again', async () => {
    sign = () => Promise.reject(Object.assign(new Error('User rejected'), { code: 4001 }))
    await wallet()
    await open()
    await view.payButton().click()
    await click('Pay without a network fee')
    await view.says('You cancelled in your wallet. Nothing was sent.')
    expect(stage.signatures).to.deep.equal([])
    sign = () => Promise.resolve(SIGNATURE)
    stage.carryOut(mined)
    await view.payButton().click()
    await click('Pay without a network fee')
    await view.title('Signed and on its way')
  })

  for (const [code, text] of REFUSALS)
    it(`reports that no payment was sent, and lets the payer continue, after ${code}`, async () => {
      const { asked: methods } = await wallet()
      await open()
      stage.carryOut(code)
      await view.payButton().click()
      await click('Pay without a network fee')
      await view.says(text)
      await view.payButton().click()
      await click('Send from my wallet anyway')
      await view.title('Sent from your wallet')
      expect(methods).to.include('eth_sendTransaction')
    })

  for (const code of REST)
    it(`requests a transfer after ${code}, and offers signing again a minute later`, async () => {
      let isDeclined = true
      const { asked: methods } = await wallet({
        get rejects() {
          return isDeclined
        },
      })
      await page.clock.install()
      await open()
      stage.carryOut(code)
      await view.payButton().click()
      await click('Pay without a network fee')
      await view.says(/Paying without a fee is not available right now, and nothing was sent/)
      await view.payButton().click()
      await view.says('You cancelled in your wallet. Nothing was sent.')
      expect([methods.includes('eth_sendTransaction'), signed.length]).to.deep.equal([true, 1])
      isDeclined = false
      await page.clock.fastForward(61_000)
      stage.carryOut(mined)
      await view.payButton().click()
      await click('Pay without a network fee')
      await view.title('Signed and on its way')
    })

  it('requests a transfer while the service does not accept signatures', async () => {
    const { asked: methods } = await wallet()
    await open()
    stage.ask('signature_payment_unavailable')
    await view.payButton().click()
    await click('Pay without a network fee')
    await view.says(/Paying without a fee is not available right now, and nothing was sent/)
    await view.payButton().click()
    await view.title('Sent from your wallet')
    expect([methods.includes('eth_sendTransaction'), signed]).to.deep.equal([true, []])
  })

  it('does not request a payment while someone else’s signature is in flight', async () => {
    await wallet()
    await open()
    stage.ask('payment_in_progress')
    await view.payButton().click()
    await click('Pay without a network fee')
    await view.title('A payment may be on its way')
    await view.says(/was signed outside this page/)
    await expectNothingAsked()
    await page.reload()
    await view.title('A payment may be on its way')
    await expectNothingAsked()
    expect(signed).to.deep.equal([])
    stage.ask([asked()])
    await view.payButton().waitFor()
    expect(await page.getByText('What you signed').count(), 'the report that the payer has signed').to.equal(
      0,
    )
  })

  it('lets a payer who has signed nothing send a transfer while someone else’s signature blocks the charge', async () => {
    const { asked: methods } = await wallet()
    await open()
    stage.ask('payment_in_progress')
    await view.payButton().click()
    await click('Pay without a network fee')
    await click('I have not signed anything: let me pay')
    await page.locator('#how').waitFor()
    expect(await page.getByText('may be on its way').count(), 'a payment that may be on its way').to.equal(0)
    await view.payButton().click()
    await click('Send from my wallet anyway')
    await view.title('Sent from your wallet')
    expect([methods.includes('eth_sendTransaction'), signed]).to.deep.equal([true, []])
  })

  it('does not request a signature for an address that differs from the shown address', async () => {
    await wallet()
    await open()
    stage.ask([asked({ to: PAYER })])
    await view.payButton().click()
    await click('Pay without a network fee')
    await view.says(/Paying without a fee is not available right now/)
    expect(signed).to.deep.equal([])
  })

  for (const [title, outcome] of UNKNOWN)
    it(`does not request a further payment, even after a reload, when ${title}`, async () => {
      await wallet()
      await page.addInitScript(SHORTER_WAIT)
      await open()
      stage.carryOut(outcome)
      await view.payButton().click()
      await click('Pay without a network fee')
      await view.title('Signed. Please wait')
      await view.says(/we do not know yet whether it was sent/)
      await expectNothingAsked()
      expect(await page.locator('#sent button').count(), 'a way to pay again').to.equal(0)
      await page.reload()
      await view.title('Signed. Please wait')
      await expectNothingAsked()
      expect(stage.signatures.length).to.equal(1)
    })

  it('does not request a further payment in another tab if the service’s response was lost', async () => {
    await wallet()
    await open()
    stage.carryOut('a broken line')
    await view.payButton().click()
    await click('Pay without a network fee')
    await view.title('Signed. Please wait')

    const other = await context.newPage()
    await wallet({}, other)
    await stagePage(other, { scripts, first, now: () => now })
    await other.goto(stage.url(BASE))
    await createPayerView(other).title('Signed. Please wait')
    expect(await createPayerView(other).payButton().isVisible(), 'a wallet in another tab').to.equal(false)
  })

  for (const [next, answer] of NEXT)
    it(`shows how to pay again once the signature has expired by the service’s clock and ${next}`, async () => {
      await wallet()
      await page.clock.install()
      await open()
      stage.carryOut('a broken line')
      await view.payButton().click()
      await click('Pay without a network fee')
      await view.title('Signed. Please wait')
      const untilAsked = async () => {
        const answer = page.waitForResponse((one) => one.url().includes('/authorization?payer='))
        await page.clock.fastForward(BETWEEN_LOOKS_MS)
        await answer
      }
      // By this machine's clock the signature has expired, but only the service's clock counts.
      await untilAsked()
      await expectNothingAsked()
      now = new Date(NOW.getTime() + 301_000)
      stage.ask('payment_in_progress')
      await untilAsked()
      await expectNothingAsked()
      stage.ask(answer ?? [asked()])
      await untilAsked()
      await view.says(/What you signed was not used and has expired/)
      await view.payButton().waitFor()
    })

  it('does not report a late payment as failed, and waits for it again after a reorganization', async () => {
    await wallet()
    await page.addInitScript({ content: STREAM_THAT_STAYS })
    await page.clock.install()
    await open()
    stage.carryOut('a broken line')
    await view.payButton().click()
    await click('Pay without a network fee')
    await view.title('Signed. Please wait')
    now = new Date(NOW.getTime() + 301_000)
    stage.ask('charge_not_payable')
    stage.show(buildCheckout({}, { awaited: [SEEN] }))
    await page.clock.fastForward(BETWEEN_LOOKS_MS)
    await view.title('We can see your payment')
    stage.ask('payment_in_progress')
    stage.show(first)
    await sendByStream(page, first)
    await view.title('Signed. Please wait')
    await expectNothingAsked()
  })
})
