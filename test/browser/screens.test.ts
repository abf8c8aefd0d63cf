import type { Browser, Page } from 'playwright-core'
import { pageHeaders } from '../../api/checkout/page-headers.ts'
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
import { createLogo, createPng } from '../support/pictures.ts'
import { SCREENS, type ShownScreen } from '../support/screens.ts'

/** Queries with a chosen pair, in several languages. */
const CHOICES = [CHOSEN, ...CHOSEN_ELSEWHERE]
/**
 * Queries for variants that only the payment screen has: nothing chosen, the QR code with a payment link, and a check
 * with invalid input.
 */
const MORE_CHOICES = ['', `${CHOSEN}&form=link`, `${CHOSEN}&check=invalid`]
/** Query after the payer has requested a check of their payment. */
const CHECKED = `${CHOSEN}&check=done`

const looksAtScreen = ({ checkout }: ShownScreen) => [
  ...listAppearances([
    ...CHOICES,
    ...(checkout === null ? [] : [CHECKED]),
    ...(checkout?.howToPay ? MORE_CHOICES : []),
  ]),
  ...CHOSEN_ON_TELEPHONES,
]

describe('the screens of the checkout, in a browser', function () {
  this.timeout(900_000)
  let browser: Browser
  const seen: Seen[] = []

  before(async () => {
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    console.log(formatTable(seen))
  })

  for (const screen of SCREENS) {
    it(`are accessible and never scroll sideways: ${screen.name}`, async () => {
      const context = await browser.newContext()
      const page = await context.newPage()
      page.setDefaultTimeout(60_000)
      const refused = watchPolicy(page)
      await serve(page, screen)
      for (const look of filterAppearances(looksAtScreen(screen), screen.name)) {
        await setAppearance(page, look)
        await page.goto(`http://page.test/pay?${look.query}`)
        await expectAccessible(page, { screen: screen.name, look, refused })
        seen.push({ screen: screen.name, look })
      }
      await context.close()
    })
  }
})

/**
 * Serves the page with its content security policy and an empty script, as while the script loads.
 * `script-screens.test.ts` tests the script's own screens.
 */
async function serve(page: Page, { page: html, checkout }: ShownScreen): Promise<void> {
  await page.route('https://img.example/**', (route) =>
    route.fulfill({ contentType: 'image/png', body: createPng() }),
  )
  await page.route('**/assets/*', (route) =>
    route.request().url().includes('/logo-')
      ? route.fulfill({ contentType: 'image/png', body: createLogo() })
      : route.fulfill({ contentType: 'text/javascript', body: '' }),
  )
  await page.route('http://page.test/pay?*', (route) =>
    route.fulfill({
      headers: {
        ...pageHeaders([], checkout ?? undefined),
        'Content-Type': 'text/html; charset=utf-8',
      },
      body: html(new URL(route.request().url()).search.slice(1), { script: 'assets/checkout.js' }),
    }),
  )
}
