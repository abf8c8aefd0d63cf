import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import axe from 'axe-core'
import { expect } from 'chai'
import type { Frame, Page } from 'playwright-core'
import { LANGUAGES } from '../../api/checkout/languages.ts'
import { createRandom } from './seeded-random.ts'

/** Tags of the axe rules that are checked: WCAG 2.2, levels A and AA. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Query of a page on which the payer has chosen one way to pay. */
export const CHOSEN = 'token=USDC&network=base'

/** The same page in languages that run from right to left, have long words, or have non-Latin letters. */
export const CHOSEN_ELSEWHERE = ['ar', 'de', 'hi', 'zh'].map((language) => `${CHOSEN}&lang=${language}`)

/** The same page in every other language on a phone, whose narrow screen reveals words that are too long. */
export const CHOSEN_ON_TELEPHONES: readonly Look[] = Object.keys(LANGUAGES)
  .map((language) => `${CHOSEN}&lang=${language}`)
  .filter((query) => query !== `${CHOSEN}&lang=en` && !CHOSEN_ELSEWHERE.includes(query))
  .map((query) => ({ width: 320, theme: 'light', query }))

/** Directory in which pictures of the screens are saved, for example for docs/checkout.md. If unset, none are taken. */
const PICTURES = process.env['PICTURES_DIRECTORY']

/** View of a page: its width, its theme, and the query of its URL. */
export type Look = {
  readonly width: 320 | 1280
  readonly theme: 'light' | 'dark'
  readonly query: string
}

export function listAppearances(choices: readonly string[]): readonly Look[] {
  return ([320, 1280] as const).flatMap((width) =>
    (['light', 'dark'] as const).flatMap((theme) => choices.map((query) => ({ width, theme, query }))),
  )
}

/** Seed that picks one view per screen in the default run. */
const SEED = 20_261_122

/**
 * Returns all views in `npm run test:long`. Otherwise returns the views to be pictured if pictures are taken, or one
 * view that the seed picks.
 */
export function filterAppearances(looks: readonly Look[], screen: string): readonly Look[] {
  if (process.env['TEST_LONG'] === '1') return looks
  return PICTURES ? looks.filter(isPictured) : [createRandom(SEED + crc32(screen)).pick(looks)]
}

/**
 * Sets a page's size and theme to this view's. Callers use one page for several views, because a new page takes a
 * second.
 */
export async function setAppearance(page: Page, { width, theme }: Look): Promise<void> {
  await page.setViewportSize({ width, height: 700 })
  await page.emulateMedia({ colorScheme: theme })
}

export type Seen = { readonly screen: string; readonly look: Look }

/** Formats the views as a table: a row per screen, a column per width and theme, and the choices in the cells. */
export function formatTable(seen: readonly Seen[]): string {
  const columns = listAppearances([''])
  const rows = [...new Set(seen.map(({ screen }) => screen))].map((screen) => [
    screen,
    ...columns.map(({ width, theme }) =>
      seen
        .filter(({ screen: of, look }) => of === screen && look.width === width && look.theme === theme)
        .map(({ look }) => nameOf(look))
        .join(' '),
    ),
  ])
  const head = ['axe, without a violation', ...columns.map(({ width, theme }) => `${width} px, ${theme}`)]
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const lines = [head, ...rows].map((row) =>
    row.map((field, column) => field.padEnd(widths[column] ?? 0)).join(' | '),
  )
  const all = [...lines, `${seen.length} views of ${rows.length} screens`]
  return all.map((line) => `      ${line}`).join('\n')
}

function nameOf({ query }: Look): string {
  const asked = new URLSearchParams(query)
  if (asked.get('form') !== null) return 'whole-code'
  const check = asked.get('check')
  if (check !== null) return `check-${check}`
  return asked.get('lang') ?? (asked.get('token') === null ? 'unchosen' : 'en')
}

function lineOf({ width, theme, query }: Look): string {
  return `${width} px, ${theme}${query && `, ?${query}`}`
}

/** Expects what `expectNoFindings` expects, and saves a picture in PICTURES_DIRECTORY, if it is set. */
export async function expectAccessible(
  page: Page,
  { screen, look, refused }: { screen: string; look: Look; refused: readonly string[] },
): Promise<void> {
  await expectNoFindings(page, { label: `${screen}: ${lineOf(look)}`, refused })
  await takePicture(page, { screen, look })
}

/**
 * Expects that axe has no findings, that the page does not scroll horizontally, and that its Content Security Policy
 * has blocked nothing.
 *
 * @param refused - messages about blocked resources, as `watchPolicy` records them
 */
export async function expectNoFindings(
  page: Page,
  { label, refused }: { readonly label: string; readonly refused: readonly string[] },
): Promise<void> {
  const close = await openAll(page)
  const found = await Promise.all(page.frames().map((frame) => listViolations(frame, 'html')))
  expect(found.flat(), label).to.deep.equal([])
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  expect(await page.evaluate(overflow), `${label} scrolls horizontally`).to.equal(0)
  expect(refused, label).to.deep.equal([])
  await close()
  expect(await listMenuViolations(page), `${label}, the menu of languages`).to.deep.equal([])
}

/** Opens folded parts, so that their content is checked as well. Returns a function that folds them again. */
async function openAll(page: Page): Promise<() => Promise<unknown>> {
  const all = (selector: string, change: string) =>
    page.evaluate(`for (const it of document.querySelectorAll('${selector}')) { ${change} }`)
  // The menu of languages would cover the content below it, so `listMenuViolations` checks it separately.
  await all('details:not([open], .languages)', "it.open = true; it.dataset.folded = ''")
  return () => all('[data-folded]', 'it.open = false; delete it.dataset.folded')
}

async function listMenuViolations(page: Page): Promise<readonly string[]> {
  const toggle = (isOpen: boolean) =>
    page.evaluate<boolean | undefined>(
      `document.querySelector('.languages')?.toggleAttribute('open', ${isOpen})`,
    )
  if ((await toggle(true)) === undefined) return []
  const found = await listViolations(page.mainFrame(), '.languages')
  await toggle(false)
  return found
}

/**
 * Returns the violations in a part of a frame. Uses axe-core directly, because the builder of `@axe-core/playwright`
 * opens another page for each result, and takes three times as long.
 */
async function listViolations(frame: Frame, part: string): Promise<readonly string[]> {
  if (!(await frame.evaluate<boolean>('Boolean(window.axe)'))) await frame.evaluate(axe.source)
  const options = { runOnly: { type: 'tag', values: TAGS }, resultTypes: ['violations'] }
  return frame.evaluate<string[]>(
    `axe.run('${part}', ${JSON.stringify(options)})
      .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0]?.html))`,
  )
}

/** Records the messages about resources that the page's Content Security Policy blocks from now on. */
export function watchPolicy(page: Page): readonly string[] {
  const refused: string[] = []
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text())
  })
  return refused
}

/**
 * Whether a picture of a view is taken: of every page in the light theme on a phone, and of the page with one way to
 * pay, in English and Arabic, in all sizes and themes.
 */
function isPictured({ width, theme, query }: Look): boolean {
  return query === CHOSEN || query === `${CHOSEN}&lang=ar` || (width === 320 && theme === 'light')
}

async function takePicture(page: Page, { screen, look }: Seen): Promise<void> {
  if (!PICTURES || !isPictured(look)) return
  mkdirSync(PICTURES, { recursive: true })
  const language = look.query === CHOSEN ? '' : `-${nameOf(look)}`
  const name = `${screen.replaceAll(/[^a-z]+/g, '-')}-${look.width}-${look.theme}${language}.png`
  await page.screenshot({ path: join(PICTURES, name), fullPage: true })
}
