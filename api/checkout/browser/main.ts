import type { PageData } from '../page-data.ts'
import { offerCopies } from './copy.ts'
import { localizeTimes, startCountdown } from './countdown.ts'
import { keepLive } from './live.ts'
import { readPageData } from './page.ts'
import { createTill } from './pay.ts'
import { leadBack } from './return.ts'
import { offerSwaps } from './swap.ts'
import { findWallets } from './wallets.ts'

const data = readPageData(document)
if (data !== null) start(data)
else retry()

/** Does for the page what it can do without: keeps it live, copies, pays by a wallet, leads back. */
function start(first: PageData): void {
  let current = first
  document.documentElement.classList.add('scripted')
  const till = createTill({
    current: () => current,
    refresh: () => live.refresh(),
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
  findWallets(till.setWallets)
}

/** The page of an answer that shows no charge tries again by itself, where it says so. */
function retry(): void {
  const seconds = Number(document.body.dataset['refresh'])
  if (seconds > 0) setTimeout(() => location.reload(), seconds * 1000)
}
