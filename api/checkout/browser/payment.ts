import type { PageData, PagePayment } from '../page-data.ts'
import { connect } from './call-wallet.ts'
import type { PaymentDialog } from './consent.ts'
import { setText } from './page.ts'
import { renderSubmitted } from './render-submitted.ts'
import { hasExpired, offerSignature } from './sign.ts'
import type { SubmittedPayment } from './submitted-payments.ts'
import { prepareSwap } from './swap.ts'
import { withTabLock } from './tab-lock.ts'
import type { Send, Transfer } from './wallet-adapter.ts'
import { WALLET_ADAPTERS } from './wallet-adapters-by-family.ts'
import type { Wallet } from './wallets.ts'

/**
 * The payment code, which sends requests to wallets. It is a separate script, loaded only for a payment through a
 * wallet, because most pages never need it (`load-payment-code.ts`).
 */
export const PAYMENT_CODE = {
  ...{ reachAccount, prepareTransfer, hasReverted, withTabLock },
  ...{ offerSignature, hasExpired, prepareSwap, renderSubmitted },
}

async function reachAccount(
  data: PageData,
  { wallet, payment }: { readonly wallet: Wallet; readonly payment: PagePayment },
  showMessage: PaymentDialog['showMessage'],
): Promise<string> {
  const network = data.networks[payment.network] ?? payment.network
  showMessage(...setText(data, 'script.asking'))
  const account = await connect(wallet.provider)
  showMessage(...setText(data, 'script.switching', { network }))
  await WALLET_ADAPTERS[wallet.family].reach(wallet.provider, payment, network)
  showMessage(...setText(data, 'script.asking'))
  return account
}

function prepareTransfer({ family, provider }: Wallet, transfer: Transfer): Promise<Send> {
  return WALLET_ADAPTERS[family].prepare(provider, transfer)
}

async function hasReverted(payer: Wallet | null, { txHash }: SubmittedPayment): Promise<boolean> {
  if (payer === null || txHash === null) return false
  return WALLET_ADAPTERS[payer.family].hasReverted(payer.provider, txHash)
}
