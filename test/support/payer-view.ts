import { expect } from 'chai'
import type { Page } from 'playwright-core'

/** Maximum time until a page shows a change of the payment, its stream or the service. */
export const RIGHT_WITHIN_MS = 5000

/** Timeout for steps whose duration is not tested. */
const SHOWN_WITHIN_MS = 60_000

/** A payer's view and actions on the page of a charge, in English. */
export type PayerView = ReturnType<typeof createPayerView>

/** Creates a payer's view of a page. */
export function createPayerView(page: Page) {
  const title = (name: string, timeoutMs = SHOWN_WITHIN_MS) =>
    page.getByRole('heading', { name, exact: true }).waitFor({ timeout: timeoutMs })
  /** The button that pays with the wallet, for any amount due. */
  const payButton = () => page.getByRole('button', { name: /^Pay \S+ USDC with Test Wallet$/ })
  /** Waits for the first occurrence of a text, because an announcement to screen readers repeats it. */
  const says = (text: string | RegExp, timeoutMs = SHOWN_WITHIN_MS) =>
    page.getByText(text).first().waitFor({ timeout: timeoutMs })
  /** Expects that the page shows no address, QR code, wallet button or payment details. */
  const expectNothingAsked = async ({ address }: { readonly address: string }) => {
    expect(await page.getByText(address).first().isVisible(), 'the address').to.equal(false)
    expect(await page.locator('.qr').first().isVisible(), 'a code').to.equal(false)
    expect(await payButton().isVisible(), 'a wallet').to.equal(false)
    expect(await page.getByText('To address').isVisible(), 'an amount').to.equal(false)
  }
  /** Expects a title and a text, reloads, and expects each of them again within `RIGHT_WITHIN_MS`. */
  const reload = async (name: string, text: string | RegExp) => {
    await title(name)
    await says(text)
    await page.reload()
    await title(name, RIGHT_WITHIN_MS)
    await says(text, RIGHT_WITHIN_MS)
  }
  return { title, payButton, says, expectNothingAsked, reload }
}
