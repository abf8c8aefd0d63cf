import type { PageData, PagePayment } from '../page-data.ts'
import { button, element, setText } from './page.ts'
import { findRememberedWallet } from './remembered-wallet.ts'
import type { Wallet } from './wallets.ts'

/**
 * Renders a button for each wallet, starting with the wallet that the payer used last. Only the first button is filled.
 * It shows the amount, and so does the button of a wallet without a name.
 */
export function walletButtons(
  data: PageData,
  payment: PagePayment,
  {
    wallets,
    payBy,
  }: { readonly wallets: readonly Wallet[]; readonly payBy: (wallet: Wallet) => Promise<void> },
): readonly Node[] {
  const amount = `${padFraction(payment.amount)} ${payment.token}`
  const buttons = sortByUse(wallets).map((wallet, index) => {
    const full = nameButton(data, wallet, amount)
    const text = index === 0 || wallet.name === null ? full : [wallet.name]
    const created = button([...renderIcon(wallet), element('span', {}, ...text)], () => payBy(wallet))
    created.setAttribute('aria-label', full.map((node) => node.textContent).join(''))
    return created
  })
  const heading = element('h3', { className: 'unseen' }, ...setText(data, 'script.payWith'))
  return [
    ...(wallets.length > 1 ? [heading] : []),
    element('div', { className: 'wallets' }, ...buttons),
    element('p', { className: 'hint' }, ...setText(data, 'script.confirm')),
  ]
}

/** A wallet that does not announce itself has no name. */
function nameButton(data: PageData, { name }: Wallet, amount: string): readonly Node[] {
  if (name === null) return setText(data, 'script.walletUnknown', { amount })
  return setText(data, 'script.wallet', { amount, wallet: name })
}

function sortByUse(wallets: readonly Wallet[]): readonly Wallet[] {
  const remembered = findRememberedWallet()
  return [...wallets].sort(
    (one, other) => Number(other.name === remembered) - Number(one.name === remembered),
  )
}

/** Pads a decimal to at least two fractional digits, as the page shows it. */
function padFraction(exact: string): string {
  const [whole = '', fraction = ''] = exact.split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}

/** Restores whether an element was open before it was rendered again, and records when the payer opens or closes it. */
export function keepOpen(details: HTMLDetailsElement | null, opened: { is: boolean }): void {
  if (details === null) return
  details.open = opened.is
  details.addEventListener('toggle', () => {
    opened.is = details.open
  })
}

/** The icon is used only as an image source, never as markup. */
function renderIcon({ icon }: Wallet): readonly Node[] {
  return icon === null ? [] : [element('img', { src: icon, alt: '' })]
}
