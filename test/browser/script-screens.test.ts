import type { Browser, Page } from 'playwright-core'
import type { ScriptBundles } from '../../api/checkout/page-script.ts'
import { atto } from '../../shared/domain/money.ts'
import {
  CHOSEN,
  CHOSEN_ELSEWHERE,
  CHOSEN_ON_TELEPHONES,
  expectAccessible,
  filterAppearances,
  formatTable,
  listAppearances,
  type Seen,
  setAppearance,
  watchPolicy,
} from '../support/accessibility.ts'
import { startBrowser } from '../support/browser.ts'
import { buildCheckout } from '../support/checkout.ts'
import { EXPIRES_AT } from '../support/factories.ts'
import { injectWallet } from '../support/fake-wallet.ts'
import {
  bundleScripts,
  STREAM_THAT_STAYS,
  type StagedPage,
  sendByStream,
  stagePage,
} from '../support/staged-page.ts'

const PAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const NOW = new Date(EXPIRES_AT.getTime() - 20 * 60_000)
const PAID = {
  status: 'confirmed',
  paidWith: ['USDC/base'],
  receivedAtto: atto(10n * 10n ** 18n),
  redirectUrl: 'https://shop.example/thanks',
} as const
const OFFER = {
  ...{ inputToken: 'ETH', inputAmountExact: '0.0034', outputToken: 'USDC', outputAmountExact: '10' },
  transaction: { to: PAYER, data: '0x1234', value: '3400000000000000' },
  ...{ permit2: null, allowanceTarget: null, expiresAt: EXPIRES_AT.toISOString() },
}

/** The entry that the page stores for a wallet request. */
const KEPT = {
  ...{ txHash: null, answer: null, network: 'base', receivedBefore: null },
  ...{ by: 'before', expiresAt: '2026-11-20' },
}
const SIGNED = { ...KEPT, signed: { from: PAYER, nonce: '0x01', validBefore: EXPIRES_AT.getTime() / 1000 } }

/** A swap of a token that first needs an allowance for Permit2, because this test's wallets report no allowance. */
const OFFER_OF_A_TOKEN = {
  ...OFFER,
  ...{ inputToken: 'LINK', inputAmountExact: '0.71', allowanceTarget: PAYER },
  permit2: { eip712: { message: { permitted: { token: PAYER, amount: '710000000000000000' } } } },
}

const DECLINED = 'declined by the payer'
const REVERTED = 'failed on the network'
const OFFERED = 'offered without gas'

/** Screens that only the script shows, and the steps that lead to them. */
const SCREENS: readonly (readonly [name: string, reach: (page: Page, stage: StagedPage) => Promise<void>])[] =
  [
    [
      'with wallets',
      async (page) => {
        await page.locator('#swap > summary').click()
        await page.locator('#swap button').first().waitFor()
      },
    ],
    [
      'with the offer of a swap',
      async (page, stage) => {
        stage.offer(OFFER)
        await page.locator('#swap > summary').click()
        await page.locator('#swap button').first().click()
        await page.locator('#wallet [role=status] button').waitFor()
      },
    ],
    [
      'with the offer of a swap that requires an approval first',
      async (page, stage) => {
        stage.offer(OFFER_OF_A_TOKEN)
        await page.locator('#swap > summary').click()
        await page.locator('#swap button').first().click()
        await page.locator('#wallet [role=status] button').waitFor()
      },
    ],
    [DECLINED, payInVain],
    [REVERTED, payInVain],
    [
      'sent by a wallet',
      async (page) => {
        await page.locator('.wallets button').first().click()
        await page.locator('#sent code').waitFor()
      },
    ],
    [
      'requested from a wallet that has not responded',
      async (page) => {
        await keep(page, KEPT)
        await page.locator('#sent button').waitFor()
      },
    ],
    [
      OFFERED,
      async (page) => {
        await page.locator('.wallets button').first().click()
        await page.locator('#wallet [role=status] button').first().waitFor()
      },
    ],
    [
      'signed, with an unknown outcome',
      async (page) => {
        await keep(page, SIGNED)
        await page.locator('#sent p').waitFor()
      },
    ],
    [
      'signed elsewhere, and possibly on its way',
      async (page) => {
        await keep(page, { ...SIGNED, signed: { ...SIGNED.signed, nonce: '' } })
        await page.locator('#sent button').waitFor()
      },
    ],
    [
      'not live',
      async (page, stage) => {
        stage.cut(true)
        await page.evaluate("stream.dispatchEvent(new Event('error'))")
        await page.locator('#lost').waitFor()
      },
    ],
    [
      'about to redirect to the merchant',
      async (page, stage) => {
        // The page redirects after ten seconds, before the inspection ends. A 204 response keeps the page open.
        await page.route(PAID.redirectUrl, (route) => route.fulfill({ status: 204 }))
        stage.show(buildCheckout(PAID))
        await sendByStream(page, buildCheckout(PAID))
        await page.locator('#return button').waitFor()
      },
    ],
  ]

const LOOKS = [...listAppearances([CHOSEN, ...CHOSEN_ELSEWHERE]), ...CHOSEN_ON_TELEPHONES]

describe('the screens of the checkout with its script, in a browser', function () {
  this.timeout(600_000)
  let browser: Browser
  let scripts: ScriptBundles
  const seen: Seen[] = []

  before(async () => {
    ;[browser, scripts] = await Promise.all([startBrowser(), bundleScripts()])
  })
  after(async () => {
    await browser?.close()
    console.log(formatTable(seen))
  })

  for (const [name, reach] of SCREENS) {
    it(`are accessible and never scroll sideways: ${name}`, async () => {
      for (const look of filterAppearances(LOOKS, name)) {
        const context = await browser.newContext()
        const page = await context.newPage()
        page.setDefaultTimeout(60_000)
        await setAppearance(page, look)
        // If the stream ended immediately, every screen would show the notice about interrupted live updates.
        await page.addInitScript({ content: STREAM_THAT_STAYS })
        const refused = watchPolicy(page)
        await injectWallet(page, {
          chains: {
            8453: async (method) => {
              if (name === DECLINED)
                throw Object.assign(new Error('User rejected the request.'), { code: 4001 })
              if (method === 'eth_getTransactionReceipt') return name === REVERTED ? { status: '0x0' } : null
              return method === 'eth_call' ? '0x0' : `0x${'ab'.repeat(32)}`
            },
          },
          ...{ chainId: 8453, accounts: [PAYER] },
        })
        const checkout = buildCheckout({ redirectUrl: PAID.redirectUrl })
        const payBySignature = name === OFFERED ? (checkout.howToPay?.payments ?? []) : []
        const first = { ...checkout, payBySignature }
        const stage = await stagePage(page, { scripts, first, now: () => NOW })
        await page.goto(stage.url(look.query))
        await page.locator('.wallets button').first().waitFor()
        await reach(page, stage)
        await expectAccessible(page, { screen: name, look, refused })
        await context.close()
        seen.push({ screen: name, look })
      }
    })
  }
})

async function keep(page: Page, sent: object): Promise<void> {
  const text = JSON.stringify(JSON.stringify(sent))
  await page.evaluate(`localStorage.setItem('checkout sent ' + location.pathname.split('/').pop(), ${text})`)
  await page.reload()
}

/** Pays, and waits for the screen that reports the failure and offers another payment. */
async function payInVain(page: Page): Promise<void> {
  await page.locator('.wallets button').first().click()
  await page.locator('#wallet [role=status]', { hasText: /\S/ }).waitFor()
  await page.locator('#wallet > .wallets button:not([aria-disabled])').waitFor()
}
