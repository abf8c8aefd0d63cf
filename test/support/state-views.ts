import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { waitFor } from '../devnet/wait-for.ts'
import { expectNoFindings, watchPolicy } from './accessibility.ts'
import type { PageInState } from './page-states.ts'

export type View = {
  readonly width: 390 | 1440
  readonly theme: 'light' | 'dark'
  readonly language: string
  readonly hasScript: boolean
}

/** Directory in which pictures are saved, for docs/pictures. If it is unset, no pictures are taken. */
const PICTURES = process.env['PICTURES_DIRECTORY']

/** Time within which a page shows a change of its charge, on a busy machine. */
const SHOWN_WITHIN_MS = 30_000

/** Views in `npm run test:long`: both widths, both themes and four languages, with and without the page's script. */
export const ALL_VIEWS: readonly View[] = [true, false].flatMap((hasScript) =>
  ([390, 1440] as const).flatMap((width) =>
    (['light', 'dark'] as const).flatMap((theme) =>
      ['en', 'ar', 'zh', 'de'].map((language) => ({ width, theme, language, hasScript })),
    ),
  ),
)

/** Views that are saved as pictures. */
export const PICTURE_VIEWS: readonly View[] = ([390, 1440] as const).map((width) => ({
  ...{ width, theme: 'light', language: 'en', hasScript: true },
}))

/**
 * Checks each of these views: axe has no findings, the page's policy blocks no resource and, in English, the page has
 * its heading. Skips the views without script if the page is offline. Takes pictures of `PICTURE_VIEWS`
 * if `PICTURES_DIRECTORY` is set.
 */
export async function lookAt(
  browser: Browser,
  { name, views }: { readonly name: string; readonly views: readonly View[] },
  shown: PageInState,
): Promise<void> {
  for (const device of DEVICES) {
    const own = views.filter(
      ({ width, hasScript }) => width === device.width && hasScript === device.hasScript,
    )
    if (own.length === 0 || (shown.isOffline && !device.hasScript)) continue
    const page = await openDevice(browser, device)
    for (const view of own) await lookOnce(page, { name, view, shown })
    await page.context().close()
  }
}

const HEIGHTS: Readonly<Record<View['width'], number>> = { 390: 844, 1440: 900 }

type Device = Pick<View, 'width' | 'hasScript'>

const DEVICES: readonly Device[] = [true, false].flatMap((hasScript) =>
  ([390, 1440] as const).map((width) => ({ width, hasScript })),
)

async function openDevice(browser: Browser, { width, hasScript }: Device): Promise<Page> {
  const isPhone = width === 390
  const viewport = { width, height: HEIGHTS[width] }
  const context = await browser.newContext({ viewport, isMobile: isPhone, hasTouch: isPhone })
  const page = await context.newPage()
  page.setDefaultTimeout(SHOWN_WITHIN_MS)
  // Blocks only the page's own script. With scripts switched off in the browser, axe could not run either.
  if (!hasScript) await page.route('**/assets/*/*.js', (route) => route.fulfill({ status: 404 }))
  return page
}

type Look = { readonly name: string; readonly view: View; readonly shown: PageInState }

async function lookOnce(page: Page, { name, view, shown }: Look): Promise<void> {
  const { width, theme, language, hasScript } = view
  const label = `${name}: ${JSON.stringify(view)}`
  const refused = watchPolicy(page)
  await page.emulateMedia({ colorScheme: theme })
  const heading = language === 'en' ? shown.heading : null
  await waitFor(() => open(page, { url: `${shown.url}&lang=${language}`, hasScript, heading }), {
    ...{ what: `${shown.heading} in ${label}`, timeoutMs: SHOWN_WITHIN_MS },
  })
  await page.context().setOffline(shown.isOffline === true)
  if (shown.isOffline) await page.locator('#lost').waitFor()
  await expectNoFindings(page, { label, refused })
  if (PICTURES && hasScript && language === 'en' && theme === 'light')
    await takePicture(page, { name, width })
  await page.context().setOffline(false)
}

/**
 * Opens the page and returns whether the page has the heading. The heading might be missing at first, because a page
 * shows a new block only after a delay.
 */
async function open(
  page: Page,
  at: { readonly url: string; readonly hasScript: boolean; readonly heading: string | null },
): Promise<boolean> {
  await page.goto(at.url)
  // A page that shows no charge has no script, so there is nothing to wait for.
  if (at.hasScript) await page.locator('html.scripted, html:not(:has(#data))').waitFor()
  return at.heading === null || (await page.locator('h1').innerText()) === at.heading
}

async function takePicture(
  page: Page,
  { name, width }: Pick<View, 'width'> & { readonly name: string },
): Promise<void> {
  mkdirSync(PICTURES ?? '', { recursive: true })
  const file = `checkout-${name.replaceAll(' ', '-')}-${width === 390 ? 'phone' : 'desktop'}.jpg`
  // Enlarges the viewport, because a full-page picture would be taken without emulating a touch screen. The page must
  // not grow with the viewport, or a notice below the page would cover the page's end.
  await page.evaluate("document.querySelector('.page').style.minHeight = '0'")
  const content = await page.evaluate<number>('document.documentElement.scrollHeight')
  const height = Math.max(HEIGHTS[width], content)
  await page.setViewportSize({ width, height })
  await page.screenshot({ path: join(PICTURES ?? '', file), type: 'jpeg', quality: 60 })
  await page.setViewportSize({ width, height: HEIGHTS[width] })
}
