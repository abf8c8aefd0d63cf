import type { PageData } from '../page-data.ts'
import { button, element, setText } from './page.ts'
import type { Wallet } from './wallets.ts'

/** Renders a button for each wallet, with a heading. */
export function walletButtons(
  data: PageData,
  wallets: readonly Wallet[],
  payBy: (wallet: Wallet) => Promise<void>,
): readonly Node[] {
  const buttons = wallets.map((wallet) =>
    button(
      [
        ...renderIcon(wallet),
        element('span', {}, ...setText(data, 'script.wallet', { wallet: wallet.name })),
      ],
      () => payBy(wallet),
    ),
  )
  const heading = element('h3', {}, ...setText(data, 'script.payWith'))
  return [heading, element('div', { className: 'wallets' }, ...buttons)]
}

/** Restores whether an element was open before it was rendered again, and records changes. */
export function keepOpen(details: HTMLDetailsElement | null, opened: { is: boolean }): void {
  if (details === null) return
  details.open = opened.is
  details.addEventListener('toggle', () => {
    opened.is = details.open
  })
}

/** A wallet's icon is used only as an image source, never as markup. */
function renderIcon({ icon }: Wallet): readonly Node[] {
  return icon === null ? [] : [element('img', { src: icon, alt: '' })]
}
