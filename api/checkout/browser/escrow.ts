import type { EscrowPageData } from '../page-data.ts'
import { addCopyButtons } from './copy.ts'
import { localizeTimes } from './countdown.ts'
import { readEscrowPageData } from './page.ts'
import { createSigning } from './sign-order.ts'
import { findWallets } from './wallets.ts'

const data = readEscrowPageData(document)
if (data !== null) start(data)

/** Adds features that need a script: copy buttons, and signing with a wallet of this browser. */
function start(page: EscrowPageData): void {
  localizeTimes(page)
  addCopyButtons(page)
  const { escrow } = page
  // A page with nothing to sign reloads itself (`reload.ts`).
  if (escrow === null) return
  findWallets(createSigning({ ...page, escrow }))
  document.documentElement.classList.add('scripted')
}
