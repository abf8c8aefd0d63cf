import type { EscrowPageData } from '../page-data.ts'
import { addCopyButtons } from './copy.ts'
import { localizeTimes } from './countdown.ts'
import { readEscrowPageData } from './page.ts'
import { createSigning } from './sign-order.ts'
import { findWallets } from './wallets.ts'

const data = readEscrowPageData(document)
if (data !== null) start(data)

function start(page: EscrowPageData): void {
  localizeTimes(page)
  addCopyButtons(page)
  const { escrow } = page
  // Without an order to sign, `reload.ts` reloads the page until the escrow has ended.
  if (escrow === null) return
  findWallets(createSigning({ ...page, escrow }))
  document.documentElement.classList.add('scripted')
}
