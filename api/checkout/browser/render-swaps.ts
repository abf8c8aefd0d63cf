import type { PageData } from '../page-data.ts'
import { button, element, nameWallet, setText } from './page.ts'
import type { PaymentSession } from './pay.ts'
import type { Wallet } from './wallets.ts'

/** Renders one button per wallet and asset that can be swapped. */
export function renderSwaps(
  data: PageData,
  wallets: readonly Wallet[],
  till: PaymentSession,
): readonly Node[] {
  const { swapAlternatives, howToPay } = data.checkout
  const buttons = swapAlternatives.flatMap(({ token, network }) => {
    const payment = howToPay?.payments.find((one) => one.network === network)
    if (payment === undefined) return []
    const on = { token: `${token} (${data.networks[network] ?? network})` }
    return wallets.map((wallet) =>
      button(
        setText(data, 'script.swapWith', { ...on, wallet: nameWallet(data, wallet) }),
        () =>
          till.pay(wallet, payment, (code, account) =>
            code.prepareSwap({ data, till, wallet, payment, token }, account),
          ),
        'sec',
      ),
    )
  })
  if (buttons.length === 0) return []
  const summary = element('summary', {}, ...setText(data, 'script.swap'))
  return [
    element(
      'details',
      { id: 'swap', className: 'fold' },
      summary,
      element('div', { className: 'swaps' }, ...buttons),
    ),
  ]
}
