import type { PageData } from '../page-data.ts'
import { button, element, say } from './page.ts'
import type { Wallet } from './wallets.ts'

/** Makes a button for each wallet, under their heading. */
export function walletButtons(
  data: PageData,
  wallets: readonly Wallet[],
  payBy: (wallet: Wallet) => Promise<void>,
): readonly Node[] {
  const buttons = wallets.map((wallet) =>
    button(
      [...iconOf(wallet), element('span', {}, ...say(data, 'script.wallet', { wallet: wallet.name }))],
      () => payBy(wallet),
    ),
  )
  const heading = element('h3', {}, ...say(data, 'script.payWith'))
  return [heading, element('div', { className: 'wallets' }, ...buttons)]
}

/** Opens what was open before it was written anew, and remembers whether it is. */
export function keepOpen(details: HTMLDetailsElement | null, opened: { is: boolean }): void {
  if (details === null) return
  details.open = opened.is
  details.addEventListener('toggle', () => {
    opened.is = details.open
  })
}

/** Only through an image: what a wallet announces is never markup of the page. */
function iconOf({ icon }: Wallet): readonly Node[] {
  return icon === null ? [] : [element('img', { src: icon, alt: '' })]
}
