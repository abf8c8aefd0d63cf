import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { expect } from 'chai'
import type { Page } from 'playwright-core'

/** WCAG 2.2, levels A and AA. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** One way to pay is chosen. */
export const CHOSEN = 'token=USDC&network=base'

/** Where pictures of the screens are left, as for docs/checkout.md; without it none are taken. */
const PICTURES = process.env['PICTURES_DIRECTORY']

/** How somebody looks at a page: how wide, in which theme, and with what behind the `?` of its address. */
export type Look = {
  readonly width: 320 | 1280
  readonly theme: 'light' | 'dark'
  readonly query: string
}

/** Answers every look at these choices. */
export function looksAt(choices: readonly string[]): readonly Look[] {
  return ([320, 1280] as const).flatMap((width) =>
    (['light', 'dark'] as const).flatMap((theme) => choices.map((query) => ({ width, theme, query }))),
  )
}

/** All of them in the long run, those that a picture is taken of where pictures are; else one, another for the next screen. */
export function looksOf(looks: readonly Look[], index: number): readonly Look[] {
  if (PICTURES) return looks.filter(({ query }) => query === CHOSEN)
  return process.env['TEST_LONG'] === '1' ? looks : [looks[(index * 7) % looks.length] as Look]
}

/** Has a page be looked at so; whoever looks several times opens one page for all: a new one costs a second. */
export async function lookAt(page: Page, { width, theme }: Look): Promise<void> {
  await page.setViewportSize({ width, height: 700 })
  await page.emulateMedia({ colorScheme: theme })
}

/** Writes a look in a line. */
export function lineOf({ width, theme, query }: Look): string {
  return `${width} px, ${theme}${query && `, ?${query}`}`
}

/**
 * Expects that everybody can read what a page shows now: axe finds nothing, nothing is beside the page, and the page's
 * policy has refused nothing of it. A picture of it is left in PICTURES_DIRECTORY, if that is set.
 *
 * @param refused - what the page was refused, as `watchPolicy` notes it
 */
export async function expectReadable(
  page: Page,
  { screen, look, refused }: { screen: string; look: Look; refused: readonly string[] },
): Promise<void> {
  const label = `${screen}: ${lineOf(look)}`
  const { violations } = await new AxeBuilder({ page }).withTags(TAGS).analyze()
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    label,
  ).to.deep.equal([])
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  expect(await page.evaluate(overflow), `${label} scrolls to the side`).to.equal(0)
  expect(refused, label).to.deep.equal([])
  await takePicture(page, { screen, look })
}

/** Notes what the page's policy refuses from now on. */
export function watchPolicy(page: Page): readonly string[] {
  const refused: string[] = []
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text())
  })
  return refused
}

/** Of one way to pay, in English: what else a page can be asked for differs little. */
async function takePicture(page: Page, { screen, look }: { screen: string; look: Look }): Promise<void> {
  if (!PICTURES || look.query !== CHOSEN) return
  mkdirSync(PICTURES, { recursive: true })
  const name = `${screen.replaceAll(/[^a-z]+/g, '-')}-${look.width}-${look.theme}.png`
  await page.screenshot({ path: join(PICTURES, name), fullPage: true })
}
