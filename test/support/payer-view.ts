import { expect } from 'chai'
import type { Page } from 'playwright-core'

/** Maximum time until a page shows a change of its payment, its stream's connection or the service's availability. */
export const RIGHT_WITHIN_MS = 5000

/** Timeout for steps whose duration is not tested. */
const SHOWN_WITHIN_MS = 60_000

/** Queries and expectations on a charge's page in English. */
export type PayerView = ReturnType<typeof createPayerView>

export function createPayerView(page: Page) {
  const title = (name: string, timeoutMs = SHOWN_WITHIN_MS) =>
    page.getByRole('heading', { name, exact: true }).waitFor({ timeout: timeoutMs })
  /** The button that pays with the wallet, whatever the amount. */
  const payButton = () => page.getByRole('button', { name: /^Pay \S+ USDC with Test Wallet$/ })
  /** Waits for a text. Takes its first occurrence, because an announcement to screen readers repeats the text. */
  const says = (text: string | RegExp, timeoutMs = SHOWN_WITHIN_MS) =>
    page.getByText(text).first().waitFor({ timeout: timeoutMs })
  /** Expects that the page shows no address, QR code, wallet button or payment details. */
  const expectNothingAsked = async ({ address }: { readonly address: string }) => {
    expect(await page.getByText(address).first().isVisible(), 'the address').to.equal(false)
    expect(await page.locator('.qr').first().isVisible(), 'a code').to.equal(false)
    expect(await payButton().isVisible(), 'a wallet').to.equal(false)
    expect(await page.getByText('To address').isVisible(), 'an amount').to.equal(false)
  }
  /** Waits for a title and a text, reloads, and waits up to `RIGHT_WITHIN_MS` for each again. */
  const reload = async (name: string, text: string | RegExp) => {
    await title(name)
    await says(text)
    await page.reload()
    await title(name, RIGHT_WITHIN_MS)
    await says(text, RIGHT_WITHIN_MS)
  }
  return { title, payButton, says, expectNothingAsked, reload }
}
