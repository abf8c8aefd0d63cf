import type { PageData } from '../page-data.ts'
import { addCopyButtons } from './copy.ts'
import { localizeTimes, startCountdown } from './countdown.ts'
import { readPageData } from './page.ts'
import { createPaymentSession } from './pay.ts'
import { enablePrinting } from './print.ts'
import { redirectToMerchant } from './redirect.ts'
import { startPageRefresh } from './refresh-page.ts'
import { renderSwaps } from './render-swaps.ts'
import { startReports } from './report-steps.ts'
import { deleteStale } from './submitted-payments.ts'
import { followWalletApps } from './wallet-apps.ts'
import { findWallets } from './wallets.ts'

const data = readPageData(document)
if (data !== null) start(data)

/**
 * Adds live updates, copy buttons, payment through a wallet, the redirect to the merchant and the other features that
 * need a script.
 */
function start(first: PageData): void {
  let current = first
  const report = startReports(() => current)
  const till = createPaymentSession({
    current: () => current,
    refresh: () => live.refresh(),
    more: (wallets, self) => renderSwaps(current, wallets, self),
  })
  const live = startPageRefresh(first, (next, before) => {
    current = next
    localizeTimes(next)
    addCopyButtons(next)
    till.show()
    redirectToMerchant(next, before)
    report()
  })
  startCountdown(
    () => current,
    () => live.refresh(),
  )
  deleteStale(first)
  findWallets(till.setWallets)
  followWalletApps()
  enablePrinting()
  // Added last, because a page without this class reloads itself (`reload.ts`), as it must if an earlier step fails.
  document.documentElement.classList.add('scripted')
}
