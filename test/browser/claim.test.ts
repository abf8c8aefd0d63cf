import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { LANGUAGES } from '../../api/checkout/languages.ts'
import { pageHeaders } from '../../api/checkout/page-headers.ts'
import { nameScripts, type ScriptBundles } from '../../api/checkout/page-script.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { recoverKeySigner } from '../../shared/domain/recover-key-signer.ts'
import { hashRefundClaim } from '../../shared/domain/refund/refund-claim.ts'
import { ACCOUNTS, toSigner } from '../devnet/accounts.ts'
import {
  expectNoFindings,
  filterAppearances,
  type Look,
  setAppearance,
  watchPolicy,
} from '../support/accessibility.ts'
import { startBrowser } from '../support/browser.ts'
import { CLAIM_SCREENS, CLAIM_TERMS, REVIEW, renderClaimPage } from '../support/claim-page.ts'
import { type FakeWallet, injectWallet, type WalletWays } from '../support/fake-wallet.ts'
import { bundleScripts } from '../support/staged-page.ts'

const PATH = '/pay/ch_one/refund/secret'
const URL_OF_PAGE = `http://page.test${PATH}`
const PAYER = ACCOUNTS.payer2

describe('the page of a refund, in a browser', function () {
  this.timeout(300_000)
  let browser: Browser
  let scripts: ScriptBundles
  let context: BrowserContext
  let page: Page
  let sent: URLSearchParams[]

  before(async () => {
    ;[browser, scripts] = await Promise.all([startBrowser(), bundleScripts()])
  })
  after(() => browser?.close())
  afterEach(() => context?.close())

  /**
   * Serves one screen. The form of step `review` returns the address for comparison; any other form returns the page of
   * an ended refund.
   */
  async function serve(screen: (typeof CLAIM_SCREENS)[number], change: { javaScriptEnabled?: boolean } = {}) {
    context = await browser.newContext({ viewport: { width: 320, height: 700 }, ...change })
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    sent = []
    const served = nameScripts(scripts)
    const name = [...served.keys()].find((path) => path.endsWith('/claim.js'))
    await page.route('http://page.test/**', async (route, request) => {
      const { pathname, search } = new URL(request.url())
      const script = served.get(pathname.replace('/pay/', ''))
      if (script !== undefined) return route.fulfill({ contentType: 'text/javascript', body: script })
      if (pathname !== PATH) return route.fulfill({ status: 404, body: '' })
      const form = new URLSearchParams(request.postData() ?? '')
      if (request.method() === 'POST') sent.push(form)
      const step = form.get('step')
      const next = { name: 'next', step: step === 'review' ? REVIEW : ({ name: 'follow' } as const) }
      return route.fulfill({
        headers: { ...pageHeaders([]), 'Content-Type': 'text/html; charset=utf-8' },
        body: renderClaimPage(step === null ? screen : next, {
          ...{ query: search.slice(1), script: `../../${name}` },
        }),
      })
    })
  }

  const screenOf = (name: string) =>
    CLAIM_SCREENS.find((screen) => screen.name === name) ?? expect.fail(`no screen ${name}`)

  for (const [at, screen] of CLAIM_SCREENS.entries())
    it(`is accessible on a phone and does not scroll sideways when it is ${screen.name}`, async () => {
      await serve(screen)
      const refused = watchPolicy(page)
      const language = Object.keys(LANGUAGES)[at % 10] ?? 'en'
      const looks = (
        [
          ['light', 'en'],
          ['dark', 'en'],
          ['light', language],
        ] as const
      ).map(([theme, lang]): Look => ({ width: 320, theme, query: `lang=${lang}` }))
      for (const look of filterAppearances(looks, screen.name)) {
        await setAppearance(page, look)
        await page.goto(`${URL_OF_PAGE}?${look.query}`)
        await expectNoFindings(page, { label: `${screen.name}, ${look.theme}, ${look.query}`, refused })
      }
    })

  for (const javaScriptEnabled of [true, false])
    it(`shows the typed address in groups before sending it, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      await serve(screenOf('asking for the address'), { javaScriptEnabled })
      await page.goto(`${URL_OF_PAGE}?lang=de`)
      await page.getByRole('textbox').fill(` ${PAYER.address} `)
      await page.getByRole('button', { name: 'Weiter' }).click()
      const groups = page.locator('.rows .group')
      await groups.first().waitFor()
      expect(await groups.allTextContents()).to.deep.equal([
        ...['0x7099', '7970', 'C518', '12dc', '3A01', '0C7d', '01b5', '0e0d', '17dc', '79C8'],
      ])
      expect(await page.locator('#proof').isVisible()).to.equal(false)
      await page.getByRole('button', { name: 'Ja, dorthin zurückzahlen' }).click()
      await page.getByText('Diese Rückzahlung ist beendet').waitFor()
      expect(new URL(page.url()).search).to.equal('?lang=de')
      expect(sent.map((form) => form.get('step'))).to.deep.equal(['review', 'send'])
      expect(sent[1]?.get('signature')).to.equal('')
    })

  it('requests from the wallet only its account and a signature for exactly the shown address', async () => {
    await serve(screenOf('showing the address for comparison'))
    const wallet = await install({})
    await page.goto(URL_OF_PAGE)
    await page.getByRole('button', { name: 'Yes, and prove it with Test Wallet' }).click()
    await page.getByText('This refund has ended').waitFor()
    expect(wallet.asked).to.deep.equal(['eth_requestAccounts', 'eth_signTypedData_v4'])
    const [form] = sent
    expect(Object.fromEntries(form ?? [])).to.include({ signer: PAYER.address, step: 'send' })
    const signature = form?.get('signature') as Hex
    expect(await recoverKeySigner(hashRefundClaim(CLAIM_TERMS), signature)).to.equal(
      PAYER.address.toLowerCase(),
    )
  })

  it('sends nothing if the payer declines to sign, and can then send the address without a signature', async () => {
    await serve(screenOf('showing the address for comparison'))
    await install({ rejects: true })
    await page.goto(URL_OF_PAGE)
    await page.getByRole('button', { name: 'Yes, and prove it' }).click()
    await page.getByText('You cancelled in your wallet. Nothing was sent.').waitFor()
    await expectNoFindings(page, { label: 'declined', refused: [] })
    expect(sent).to.deep.equal([])
    await page.getByRole('button', { name: 'Yes, send the refund there' }).click()
    await page.getByText('This refund has ended').waitFor()
    expect(sent.map((form) => form.get('signature'))).to.deep.equal([''])
  })

  it('does not offer a wallet on TRON', async () => {
    await serve(screenOf('showing the address for comparison, on TRON'))
    await install({})
    await page.goto(URL_OF_PAGE)
    expect(await page.locator('script[src*="claim.js"]').count()).to.equal(0)
    expect(await page.getByRole('button').allTextContents()).to.deep.equal(['Yes, send the refund there'])
  })

  /** Installs a wallet that signs with the payer's key, or rejects signing. */
  function install({ rejects = false }: Pick<WalletWays, 'rejects'>): Promise<FakeWallet> {
    const sign = async (method: string, params: readonly unknown[]): Promise<unknown> => {
      if (method !== 'eth_signTypedData_v4') throw new Error(`unexpected ${method}`)
      if (rejects) throw Object.assign(new Error('User rejected the request.'), { code: 4001 })
      return toSigner(PAYER).signTypedData(JSON.parse(String(params[1])))
    }
    return injectWallet(page, { chains: { 1: sign }, chainId: 1, accounts: [PAYER.address] })
  }
})
