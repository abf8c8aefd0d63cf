import type { PageData } from '../page-data.ts'
import { offerCopies } from './copy.ts'
import { localizeTimes, startCountdown } from './countdown.ts'
import { keepLive } from './live.ts'
import { readPageData } from './page.ts'
import { createTill } from './pay.ts'
import { leadBack } from './return.ts'
import { forgetOthers } from './sent.ts'
import { hasLapsed, offerSigning } from './sign.ts'
import { offerSwaps } from './swap.ts'
import { findWallets } from './wallets.ts'

const data = readPageData(document)
if (data !== null) start(data)

/**
 * Adds features that need a script: live updates, copy buttons, payment by a wallet, and the redirect to the merchant.
 */
function start(first: PageData): void {
  let current = first
  const till = createTill({
    current: () => current,
    refresh: () => live.refresh(),
    instead: (paying, self) => offerSigning({ ...paying, data: current, till: self }),
    hasLapsed,
    more: (wallets, self) => offerSwaps(current, wallets, self),
  })
  const live = keepLive(first, (next, before) => {
    current = next
    localizeTimes(next)
    offerCopies(next)
    till.show()
    leadBack(next, before)
  })
  startCountdown(
    () => current,
    () => live.refresh(),
  )
  forgetOthers(first)
  findWallets(till.setWallets)
  // Last: a page without this class reloads itself (`reload.ts`).
  document.documentElement.classList.add('scripted')
}
