import type { BrowserContextOptions, Page } from 'playwright-core'

/** A common phone with a touch screen. */
export const PHONE = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
} as const satisfies BrowserContextOptions

/** Counts only trusted events, which come from the emulated touch screen and not from a script. */
const COUNT_TAPS = `
  globalThis.taps = 0
  addEventListener('pointerdown', ({ isTrusted, pointerType }) => {
    if (isTrusted && pointerType === 'touch') globalThis.taps += 1
  }, true)`

/** Counts the taps on a page and on a wallet's sheet over the page. Must be called before the page is loaded. */
export async function countTaps(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript({ content: COUNT_TAPS })
  return () => page.evaluate<number>('taps')
}

const CONFIRM = 'Confirm in the wallet'

/** Shows a sheet over the page, as the browser of a wallet app does, until the payer has tapped its button. */
export function showWalletSheet(page: Page): Promise<void> {
  return page.evaluate(`new Promise((resolve) => {
    const button = document.createElement('button')
    button.textContent = '${CONFIRM}'
    button.style.cssText = 'position: fixed; inset: auto 0 0; z-index: 9'
    button.addEventListener('click', () => {
      button.remove()
      resolve()
    })
    document.body.append(button)
  })`)
}

/** Confirms the transaction that the wallet's sheet shows. */
export function confirmOnWalletSheet(page: Page): Promise<void> {
  return page.getByRole('button', { name: CONFIRM }).tap()
}
