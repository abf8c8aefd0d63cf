import type { PageData, PagePayment, ScriptPhrase } from '../page-data.ts'
import { callWallet, type Sender, send, type Transaction } from './call-wallet.ts'
import type { PaymentDialog } from './consent.ts'
import { button, element, nameWallet, setText } from './page.ts'
import type { Provider, Send } from './wallet-adapter.ts'
import { WalletError } from './wallet-error.ts'
import type { Wallet } from './wallets.ts'

/** The fields of the service's quote that are used here. */
type Quote = {
  readonly inputToken: string
  readonly inputAmountExact: string
  readonly outputToken: string
  readonly outputAmountExact: string
  readonly transaction: { readonly to: string; readonly data: string; readonly value: string }
  readonly permit2: {
    readonly eip712: {
      readonly message: { readonly permitted: { readonly token: string; readonly amount: string } }
    }
  } | null
  readonly allowanceTarget: string | null
  readonly expiresAt: string
}

export type Swap = {
  readonly data: PageData
  readonly till: PaymentDialog
  readonly wallet: Wallet
  readonly payment: PagePayment
  readonly token: string
}

/** Requests and shows quotes until the payer has granted the required allowance and agreed to a quote. */
export async function prepareSwap(context: Swap, account: string): Promise<Send> {
  const { data, till, wallet, payment } = context
  const { provider } = wallet
  const sender = { from: account, payment }
  for (;;) {
    till.showMessage(...setText(data, 'script.quoting'))
    const quote = await requestQuote(context, account)
    const isAllowed = await hasAllowance(provider, account, quote)
    await agree(context, quote, listSteps(quote, isAllowed))
    if (Date.parse(quote.expiresAt) <= Date.now()) throw new WalletError('script.offerOver')
    till.showMessage(...setText(data, 'script.asking'))
    if (isAllowed) {
      const transaction = await buildTransaction(provider, account, quote)
      return () => send(provider, sender, transaction)
    }
    await allow(provider, sender, quote)
  }
}

async function requestQuote({ data, payment, token }: Swap, takerAddress: string): Promise<Quote> {
  const response = await fetch(`${data.checkout.id}/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ inputToken: token, inputNetwork: payment.network, takerAddress }),
    signal: AbortSignal.timeout(10_000),
  }).catch(() => null)
  if (!response?.ok) throw new WalletError('script.noOffer')
  const { quote } = (await response.json()) as { readonly quote: Quote }
  return quote
}

function listSteps({ permit2 }: Quote, isAllowed: boolean): readonly ScriptPhrase[] {
  if (permit2 === null) return ['script.stepSend']
  return [...(isAllowed ? [] : (['script.stepAllow'] as const)), 'script.stepSign', 'script.stepSend']
}

/** Shows the quote and the steps to confirm in the wallet. Resolves when the payer continues. */
function agree({ data, till, wallet }: Swap, quote: Quote, steps: readonly ScriptPhrase[]): Promise<void> {
  const input = `${quote.inputAmountExact} ${quote.inputToken}`
  const output = `${quote.outputAmountExact} ${quote.outputToken}`
  const renderStep = (step: ScriptPhrase) =>
    element('li', {}, ...setText(data, step, { token: quote.inputToken }))
  return till.untilAgreed((goOn) => [
    ...setText(data, 'script.offer', { input, output, payee: data.payee }),
    element('ol', { className: 'steps', role: 'list' }, ...steps.map(renderStep)),
    ...setText(data, 'script.offerValid', { left: timeUntil(quote.expiresAt, data.language) }),
    button(setText(data, 'script.go', { wallet: nameWallet(data, wallet) }), goOn),
  ])
}

function timeUntil(iso: string, language: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(iso) - Date.now()) / 1000))
  const format = { style: 'unit', unit: 'second', unitDisplay: 'long' } as const
  return new Intl.NumberFormat(`${language}-u-nu-latn`, format).format(seconds)
}

async function hasAllowance(provider: Provider, account: string, quote: Quote): Promise<boolean> {
  if (quote.permit2 === null || quote.allowanceTarget === null) return true
  const { token, amount } = quote.permit2.eip712.message.permitted
  const data = `0xdd62ed3e${toWord(account)}${toWord(quote.allowanceTarget)}`
  return (
    BigInt(String(await callWallet(provider, 'eth_call', [{ to: token, data }, 'latest']))) >= BigInt(amount)
  )
}

/**
 * Grants an allowance of exactly the quoted amount and waits until its transaction is mined.
 *
 * @throws {WalletError} `script.offerOver` if the transaction is not mined within 180 seconds
 */
async function allow(provider: Provider, sender: Sender, quote: Quote): Promise<void> {
  const { token = '', amount = '0' } = quote.permit2?.eip712.message.permitted ?? {}
  const data = `0x095ea7b3${toWord(quote.allowanceTarget ?? '')}${toWord(BigInt(amount).toString(16))}`
  const hash = await send(provider, sender, { to: token, data })
  const untilMs = Date.now() + 180_000
  while (Date.now() < untilMs) {
    if ((await callWallet(provider, 'eth_getTransactionReceipt', [hash])) !== null) return
    await new Promise((resolve) => {
      setTimeout(resolve, 1500)
    })
  }
  throw new WalletError('script.offerOver')
}

/**
 * Builds the transaction to send. For an ERC-20 input, requests the Permit2 signature first, and appends its length and
 * the signature to the call data.
 */
async function buildTransaction(provider: Provider, account: string, quote: Quote): Promise<Transaction> {
  const { to, data, value } = quote.transaction
  const quantity = `0x${BigInt(value).toString(16)}`
  if (quote.permit2 === null) return { to, data, value: quantity }
  const typed = JSON.stringify(quote.permit2.eip712)
  const signature = String(await callWallet(provider, 'eth_signTypedData_v4', [account, typed])).slice(2)
  return { to, data: `${data}${toWord((signature.length / 2).toString(16))}${signature}`, value: quantity }
}

function toWord(hex: string): string {
  return hex.replace(/^0x/, '').toLowerCase().padStart(64, '0')
}
