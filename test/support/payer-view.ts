import { expect } from 'chai'
import type { Page } from 'playwright-core'

/** Limits that the issue sets for a page whose payment, stream or service has changed. */
export const RIGHT_WITHIN_MS = 5000

/** A timeout against hanging, for unmeasured steps. */
const SHOWN_WITHIN_MS = 60_000

/** A payer's view and actions on the page of a charge, in English. */
export type PayerView = ReturnType<typeof createPayerView>

/** Looks at a page as its payer does. */
export function createPayerView(page: Page) {
  const title = (name: string, timeoutMs = SHOWN_WITHIN_MS) =>
    page.getByRole('heading', { name, exact: true }).waitFor({ timeout: timeoutMs })
  const payButton = () => page.getByRole('button', { name: 'Pay 10.00 USDC with Test Wallet', exact: true })
  /** Announced text appears in the page a second time. */
  const says = (text: string | RegExp, timeoutMs = SHOWN_WITHIN_MS) =>
    page.getByText(text).first().waitFor({ timeout: timeoutMs })
  /** The page offers neither an address nor a code nor a wallet, and contains none to copy. */
  const expectNothingAsked = async ({ address }: { readonly address: string }) => {
    expect(await page.getByText(address).first().isVisible(), 'the address').to.equal(false)
    expect(await page.locator('.qr').first().isVisible(), 'a code').to.equal(false)
    expect(await payButton().isVisible(), 'a wallet').to.equal(false)
    expect(await page.getByText('To address').isVisible(), 'an amount').to.equal(false)
  }
  /** Loads it again, and expects the same within seconds. */
  const reload = async (name: string, text: string | RegExp) => {
    await title(name)
    await says(text)
    await page.reload()
    await title(name, RIGHT_WITHIN_MS)
    await says(text, RIGHT_WITHIN_MS)
  }
  return { title, payButton, says, expectNothingAsked, reload }
}
