import { findRememberedWallet, rememberWallet } from './remembered-wallet.ts'

/** Matches the browsers inside the apps of Facebook, Instagram, WeChat, Telegram, LINE, TikTok and Snapchat. */
const APPS_WITH_BROWSERS = /FBA[NV]|Instagram|MicroMessenger|Telegram|Line\/|Bytedance|Snapchat/

/** If the page is still visible after this time, the link has opened no wallet app. */
const OPENED_WITHIN_MS = 2000

/**
 * Handles the links to wallet apps. Selects the app that the payer used last. Unfolds another way to pay if the page is
 * still visible after a tap on a link, and immediately in browsers inside apps, which might not open other apps.
 */
export function followWalletApps(): void {
  const unfold = () => document.getElementById('unopened')?.setAttribute('open', '')
  if (APPS_WITH_BROWSERS.test(navigator.userAgent)) unfold()
  document.addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest('.apps .btn') : null
    const input = link?.previousElementSibling?.querySelector('input')
    if (!input) return
    rememberWallet(input.id)
    setTimeout(() => {
      if (document.visibilityState === 'visible') unfold()
    }, OPENED_WITHIN_MS)
  })
  const remembered = document.getElementById(findRememberedWallet() ?? '')
  if (remembered instanceof HTMLInputElement) remembered.checked = true
}
