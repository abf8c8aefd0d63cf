import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { hashTypedData } from 'viem'
import type { EscrowView, HeldEscrow } from '../../api/checkout/escrow/view-escrow.ts'
import { pageHeaders } from '../../api/checkout/page-headers.ts'
import { nameScripts, type ScriptBundles } from '../../api/checkout/page-script.ts'
import { type ErrorCode, HTTP_STATUS } from '../../shared/domain/errors.ts'
import {
  expectAccessible,
  filterAppearances,
  listAppearances,
  setAppearance,
  watchPolicy,
} from '../support/accessibility.ts'
import { startBrowser } from '../support/browser.ts'
import { buildEscrowPage, ESCROW_STATES, PAYER, RELEASER, viewOf } from '../support/escrow-page.ts'
import { injectWallet, type WalletWays } from '../support/fake-wallet.ts'
import { bundleScripts } from '../support/staged-page.ts'

const URL_OF_PAGE = 'http://page.test/pay/ch_1/escrow'
const SIGNATURE = `0x${'cd'.repeat(65)}`
const LANGUAGES = ['', 'lang=ar', 'lang=de', 'lang=hi']
const PHONE = { width: 320, query: '' } as const

type Response = ErrorCode | 'nothing' | 'accepted'

/**
 * Tests the page with its script, its content security policy and a simulated service. `payment.test.ts` uses the whole
 * stack.
 */
describe('the page of an escrow, in a browser', function () {
  this.timeout(240_000)
  let browser: Browser
  let scripts: ScriptBundles
  let context: BrowserContext
  let page: Page
  let refused: readonly string[]
  let held: HeldEscrow
  let view: EscrowView
  let response: Response
  let posted: unknown[]
  /** Typed data that the wallet was asked to sign. */
  let signed: unknown[]

  before(async () => {
    ;[browser, scripts] = await Promise.all([startBrowser(), bundleScripts()])
    const first = await viewOf()
    if (first.state === 'held') held = first
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 320, height: 800 } })
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    refused = watchPolicy(page)
    ;[view, response, posted, signed] = [held, 'accepted', [], []]
  })
  afterEach(() => context?.close())
  after(() => browser?.close())

  const served = () => nameScripts(scripts)
  /** @param options.isLoading - whether to serve an empty script, so that the page stays as the server rendered it */
  const serve = async ({ isLoading = false } = {}) => {
    const path = [...served().keys()].find((each) => each.endsWith('/escrow.js')) ?? expect.fail('no script')
    await page.route('http://page.test/**', (route, request) => {
      const { pathname, searchParams } = new URL(request.url())
      const body = served().get(pathname.replace('/pay/', ''))
      if (body !== undefined)
        return route.fulfill({ contentType: 'text/javascript', body: isLoading ? '' : body })
      if (request.method() === 'POST') {
        posted.push(request.postDataJSON())
        if (response === 'nothing') return route.abort('connectionreset')
        if (response === 'accepted') return route.fulfill({ json: { escrow: {} } })
        return route.fulfill({ status: HTTP_STATUS[response], json: { error: { code: response } } })
      }
      return route.fulfill({
        headers: { ...pageHeaders([]), 'Content-Type': 'text/html; charset=utf-8' },
        body: buildEscrowPage(view, { query: searchParams.toString(), script: `../${path}` }),
      })
    })
  }
  const open = async () => {
    await serve()
    await page.goto(URL_OF_PAGE)
  }
  const wallet = (change: Partial<WalletWays> = {}, sign: () => unknown = () => SIGNATURE) => {
    const chain = async (method: string, params: readonly unknown[]) => {
      if (method !== 'eth_signTypedData_v4') return null
      signed.push([params[0], hashTypedData(JSON.parse(String(params[1])))])
      return sign()
    }
    const chains = { 8453: chain, 1: chain }
    return injectWallet(page, { chains, chainId: 8453, accounts: [RELEASER], ...change })
  }
  const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const says = (text: string) => page.getByText(text).first().waitFor()
  const expectNothingSigned = () => {
    expect([signed, posted]).to.deep.equal([[], []])
  }

  for (const { name, view: read, heading } of ESCROW_STATES) {
    it(`is accessible and never scrolls sideways when the escrow is ${name}`, async () => {
      view = await read()
      await serve({ isLoading: true })
      const phone = name === 'held' ? (['light', 'dark'] as const).map((theme) => ({ ...PHONE, theme })) : []
      for (const look of [...phone, ...filterAppearances(listAppearances(LANGUAGES), name)]) {
        await setAppearance(page, look)
        await page.goto(`${URL_OF_PAGE}?${look.query}`)
        await expectAccessible(page, { screen: `escrow ${name}`, look, refused })
      }
      await page.goto(URL_OF_PAGE)
      await page.getByRole('heading', { name: heading, exact: true, level: 1 }).waitFor()
    })
  }

  for (const theme of ['light', 'dark'] as const)
    it(`is accessible while the releaser is asked to sign, in the ${theme} theme`, async () => {
      await setAppearance(page, { ...PHONE, theme })
      await wallet({ name: 'A Wallet With A Rather Long Name' })
      await open()
      await click('Release with A Wallet With A Rather Long Name')
      await page.getByText('You sign: 10.00 USDC goes to').waitFor()
      await expectAccessible(page, { screen: 'escrow signing', look: { ...PHONE, theme }, refused })
    })

  for (const action of ['release', 'refund'] as const)
    it(`requests the releaser’s signature for the shown ${action} after two clicks, posts it, and shows the new state`, async () => {
      await wallet()
      await open()
      await click(action === 'release' ? 'Release with Test Wallet' : 'Refund with Test Wallet')
      const { destination, safeTxHash, amount } = held.orders[action] ?? expect.fail(action)
      await says(destination)
      expectNothingSigned()
      view = { state: 'ordered', action }
      await click('Continue in Test Wallet')
      await page.getByRole('heading', { name: 'Signed and on its way' }).waitFor()
      expect(signed).to.deep.equal([[RELEASER, safeTxHash]])
      expect(posted).to.deep.equal([{ action, signature: SIGNATURE, amount }])
    })

  it('shows no button without a wallet, but explains how to sign', async () => {
    await open()
    await page.locator('html.scripted').waitFor()
    await says('To sign, open this page with JavaScript in a browser that has the wallet of this address')
    expect(await page.getByRole('button', { name: /Release|Refund/ }).count()).to.equal(0)
  })

  it('does not let any account except the releaser’s sign', async () => {
    await wallet({ accounts: [PAYER] })
    await open()
    await click('Release with Test Wallet')
    await says(`Your wallet uses ${PAYER}. Choose ${RELEASER} in it and try again.`)
    expectNothingSigned()
  })

  it('does not request a signature after the wallet has changed its account', async () => {
    await wallet({ accounts: [RELEASER, PAYER], changesAccount: true })
    await open()
    await click('Release with Test Wallet')
    await click('Continue in Test Wallet')
    await says('The account in your wallet changed, so nothing was sent.')
    expectNothingSigned()
  })

  it('switches the wallet to the escrow’s network first, and requests no signature if the wallet does not switch', async () => {
    const { asked } = await wallet({ chainId: 1, staysPut: true })
    await open()
    await click('Refund with Test Wallet')
    await says('Your wallet did not switch to Base. Switch there and try again.')
    expect(asked).to.include('wallet_switchEthereumChain')
    expectNothingSigned()
  })

  it('does not post an order if the releaser declines in the wallet', async () => {
    await wallet({}, () => {
      throw Object.assign(new Error('User rejected the request.'), { code: 4001 })
    })
    await open()
    await click('Release with Test Wallet')
    await click('Continue in Test Wallet')
    await says('You cancelled in your wallet. Nothing was sent.')
    expect(posted).to.deep.equal([])
  })

  it('requests a signature only for the order that the releaser chose last', async () => {
    await wallet()
    await open()
    await click('Release with Test Wallet')
    await page.getByRole('button', { name: 'Continue in Test Wallet' }).waitFor()
    await click('Refund with Test Wallet')
    await says(`You sign: 10.00 USDC goes to ${PAYER}`)
    view = { state: 'ordered', action: 'refund' }
    await click('Continue in Test Wallet')
    await page.getByRole('heading', { name: 'Signed and on its way' }).waitFor()
    expect(signed).to.deep.equal([[RELEASER, held.orders.refund?.safeTxHash]])
  })

  const FAILURES: readonly (readonly [Response, string])[] = [
    ['nothing', 'The order could not be confirmed.'],
    ['escrow_invalid_signature', 'The order could not be confirmed.'],
    ['service_unavailable', 'The order could not be confirmed.'],
    ['recipient_transfer_restricted', 'This escrow cannot be released or refunded here.'],
  ]
  for (const [failure, text] of FAILURES)
    it(`shows a message if an order is rejected or receives no response, and offers the order again (response: ${failure})`, async () => {
      response = failure
      await wallet()
      await open()
      await click('Release with Test Wallet')
      await click('Continue in Test Wallet')
      await says(text)
      await page.getByRole('button', { name: 'Release with Test Wallet' }).waitFor()
    })
})
