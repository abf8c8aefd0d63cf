import { AxeBuilder } from '@axe-core/playwright'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { SCREENS, type ShownScreen } from '../support/screens.ts'

const WIDTHS = [320, 1280] as const
const THEMES = ['light', 'dark'] as const
/** Of what was chosen: nothing, a pair, the code of a whole payment, a language from right to left, one of long words. */
const CHOICES = [
  '',
  'token=USDC&network=base',
  'token=USDC&network=base&form=link',
  'token=USDC&network=base&lang=ar',
  'token=USDC&network=base&lang=hi',
] as const

/** WCAG 2.2, levels A and AA. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

type Look = {
  readonly width: (typeof WIDTHS)[number]
  readonly theme: (typeof THEMES)[number]
  readonly query: (typeof CHOICES)[number]
}

const LOOKS: readonly Look[] = WIDTHS.flatMap((width) =>
  THEMES.flatMap((theme) => CHOICES.map((query) => ({ width, theme, query }))),
)

/** All of them in the long run; else each screen in one, another for the next. */
const looksOf = (index: number): readonly Look[] =>
  process.env['TEST_LONG'] === '1' ? LOOKS : [LOOKS[(index * 7) % LOOKS.length] as Look]

describe('the screens of the checkout, in a browser', function () {
  this.timeout(240_000)
  let browser: Browser
  const seen: string[] = []

  before(async () => {
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    console.log(`      axe, without a violation:\n${seen.map((line) => `        ${line}`).join('\n')}`)
  })

  SCREENS.forEach((screen, index) => {
    it(`can be read by everybody, and nowhere to the side, when it is ${screen.name}`, async () => {
      for (const look of looksOf(index)) {
        await expectReadable(browser, screen, look)
        seen.push(`${screen.name}: ${look.width} px, ${look.theme}${look.query && `, ?${look.query}`}`)
      }
    })
  })
})

async function expectReadable(browser: Browser, screen: ShownScreen, look: Look): Promise<void> {
  const { width, theme, query } = look
  const context = await browser.newContext({ viewport: { width, height: 700 }, colorScheme: theme })
  const page = await context.newPage()
  // The script's own parts are looked at by the tests of the script: here it is not there, as while it loads.
  await page.route('**/assets/*', (route) => route.abort())
  await page.route('http://page.test/', (route) =>
    route.fulfill({ contentType: 'text/html', body: screen.page(query, { script: 'assets/checkout.js' }) }),
  )
  await page.goto('http://page.test/')
  const { violations } = await new AxeBuilder({ page }).withTags(TAGS).analyze()
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    JSON.stringify(look),
  ).to.deep.equal([])
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  expect(await page.evaluate(overflow), `${JSON.stringify(look)} scrolls to the side`).to.equal(0)
  await context.close()
}
