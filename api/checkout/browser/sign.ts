import type { PageData, PagePayment } from '../page-data.ts'
import { callService, type ServiceResult } from './call-service.ts'
import { callWallet } from './call-wallet.ts'
import type { PaymentDialog } from './consent.ts'
import { button, setText } from './page.ts'
import { signTypedData } from './sign-typed-data.ts'
import type { Provider, Send, Signed } from './wallet-adapter.ts'
import { WalletError } from './wallet-error.ts'
import type { Wallet } from './wallets.ts'

type Signing = {
  readonly data: PageData
  readonly till: PaymentDialog
  readonly wallet: Wallet
  readonly payment: PagePayment
  readonly from: string
}

/** The fields of the service's response that are used here. */
type Authorization = {
  readonly token: string
  readonly network: string
  readonly typedData: {
    readonly domain: { readonly chainId: number; readonly verifyingContract: string }
    readonly message: {
      readonly from: string
      readonly to: string
      readonly value: string
      readonly validAfter: string
      readonly validBefore: string
      readonly nonce: string
    }
  }
}

/**
 * Maximum gas of a transfer. A transfer to an address that never held the token takes 62,147 gas (measured on USDC);
 * the rest is a margin for rising fees.
 */
const TRANSFER_GAS = 80_000n

/** Timeout of a submission. The service responds within 30 s; the other 15 s are for slow connections. */
const SUBMIT_WITHIN_MS = 45_000
const REQUEST_WITHIN_MS = 10_000

/** After a signature could not be used, the page requests transfers instead of signatures for this time. */
const REST_MS = 60_000

/**
 * Offers payment by signature if the wallet's balance does not cover the network fee and the charge can be paid by
 * signature. Shows the payment before the payer signs it.
 *
 * @returns `null` if the payer should send a transfer instead
 */
export async function offerSignature(signing: Signing): Promise<Send | null> {
  const { data, till, wallet, payment, from } = signing
  const { payBySignature, howToPay } = data.checkout
  const isSignable = payBySignature.some(
    ({ token, network }) => token === payment.token && network === payment.network,
  )
  if (!isSignable || howToPay === null || performance.now() < offeredFromMs) return null
  if (await canPayFee(wallet.provider, from)) return null
  const values = { amount: payment.amount, token: payment.token, address: howToPay.address }
  const choice = { isSigned: true }
  await till.untilAgreed((goOn) => [
    ...setText(data, 'script.noFee', values),
    ' ',
    button(setText(data, 'script.goSign'), goOn),
    ' ',
    button(
      setText(data, 'script.goSend'),
      () => {
        choice.isSigned = false
        goOn()
      },
      'sec',
    ),
  ])
  till.showMessage(...setText(data, 'script.asking'))
  return choice.isSigned ? prepareSigning(signing) : null
}

/**
 * Returns whether the account's balance covers the network fee of a transfer. If the wallet returns no balance or gas
 * price, returns `true`, because the wallet checks the fee as well.
 */
async function canPayFee(provider: Provider, from: string): Promise<boolean> {
  try {
    const [balance, price] = await Promise.all([
      callWallet(provider, 'eth_getBalance', [from, 'latest']),
      callWallet(provider, 'eth_gasPrice'),
    ])
    return BigInt(String(balance)) >= BigInt(String(price)) * TRANSFER_GAS
  } catch {
    return true
  }
}

async function prepareSigning(signing: Signing): Promise<Send> {
  const { data, till, wallet, payment, from } = signing
  const said = await requestAuthorizations(data.checkout.id, from)
  // Whoever signed the pending authorization, the page must not request another payment before the authorization has
  // ended, unless the payer reports that they did not sign it.
  if (said.type === 'no' && said.code === 'payment_in_progress')
    return Object.assign(() => Promise.reject(held()), { signed: { from, nonce: '', validBefore: 0 } })
  const authorization =
    said.type === 'yes' ? said.body.authorizations.find((one) => isForPayment(one, payment)) : undefined
  if (authorization === undefined) throw notNow()
  requireAsShown(data, payment, authorization)
  const { nonce, validBefore } = authorization.typedData.message
  const send = async () => {
    const { typedData } = authorization
    const signature = await signTypedData(wallet.provider, { from, on: payment, typedData })
    till.showMessage(...setText(data, 'script.signed'))
    return submit(data, { authorization, from, signature })
  }
  return Object.assign(send, { signed: { from, nonce, validBefore: Number(validBefore) } })
}

/**
 * Returns whether a signed authorization can no longer be executed, and the page shows any payment that it made. The
 * authorization must have expired by the service's clock. In addition the service, which tracks the authorization on
 * chain, must offer another one or return a code of `NOTHING_IN_FLIGHT`.
 */
export async function hasExpired({ checkout }: PageData, { from, validBefore }: Signed): Promise<boolean> {
  const said = await requestAuthorizations(checkout.id, from)
  if (said.type === 'nothing' || !(said.atMs >= validBefore * 1000)) return false
  return said.type === 'yes' || NOTHING_IN_FLIGHT.has(said.code)
}

/**
 * Codes that the service returns only if no signed authorization is in flight (`planAuthorization`). The exception is
 * `charge_not_payable` for a confirmed charge, whose page shows that the full amount arrived.
 */
const NOTHING_IN_FLIGHT: ReadonlySet<string> = new Set([
  'signature_payment_unavailable',
  'payment_temporarily_unavailable',
  'charge_not_payable',
])

function requestAuthorizations(
  chargeId: string,
  payer: string,
): Promise<ServiceResult<{ readonly authorizations: readonly Authorization[] }>> {
  return callService(`${chargeId}/authorization?payer=${payer}`, {}, REQUEST_WITHIN_MS)
}

function isForPayment(authorization: Authorization, { token, network }: PagePayment): boolean {
  return authorization.token === token && authorization.network === network
}

/** Throws unless the data to be signed has the token, chain, amount and address that the payer was shown. */
function requireAsShown({ checkout }: PageData, payment: PagePayment, { typedData }: Authorization): void {
  const { domain, message } = typedData
  const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
  const isAsShown =
    domain.chainId === payment.chainId &&
    isSame(domain.verifyingContract, payment.tokenAddress) &&
    isSame(message.to, checkout.howToPay?.address ?? '') &&
    message.value === payment.amountAtomic
  if (!isAsShown) throw notNow()
}

/**
 * Submits the signature and returns the hash of the transaction.
 *
 * @throws {WalletError} with `mayBeSent`, unless the service reported that it did not accept the signature
 */
async function submit(
  { checkout }: PageData,
  {
    authorization,
    from,
    signature,
  }: { readonly authorization: Authorization; readonly from: string; readonly signature: string },
): Promise<string> {
  const { token, network, typedData } = authorization
  const { value, validAfter, validBefore, nonce } = typedData.message
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ network, token, from, value, validAfter, validBefore, nonce, signature }),
  }
  const said = await callService<SubmitResponse>(`${checkout.id}/authorization`, init, SUBMIT_WITHIN_MS)
  const hash = said.type === 'yes' ? said.body.authorization?.txHash : null
  if (hash) return hash
  throw said.type === 'no' ? toRefusal(said.code, token) : unclear()
}

type SubmitResponse = { readonly authorization?: { readonly txHash: string | null } | null }

/**
 * The listed codes mean that the service sent and stored nothing. After any other code, such as `payment_in_progress`
 * or `service_unavailable`, a payment might be in flight.
 */
function toRefusal(code: string, token: string): WalletError {
  switch (code) {
    case 'insufficient_balance':
      return new WalletError('script.noBalance', { token })
    case 'authorization_invalid':
    case 'authorization_used':
      return new WalletError('script.notTaken')
    case 'signature_payment_unavailable':
    case 'payment_temporarily_unavailable':
    case 'charge_not_payable':
    case 'charge_not_found':
    case 'not_found':
    case 'payment_pair_not_accepted':
    case 'validation_error':
    case 'payload_too_large':
    case 'unsupported_media_type':
    case 'rate_limited':
      return notNow()
    default:
      return unclear()
  }
}

/** Stops offering signatures for `REST_MS`. Nothing was sent; the next click requests a transfer. */
function notNow(): WalletError {
  offeredFromMs = performance.now() + REST_MS
  return new WalletError('script.noSigning')
}

/** The signed payment might be in flight. */
function unclear(): WalletError {
  return new WalletError('script.unclear', {}, true)
}

/** A payment signed elsewhere might be in flight. */
function held(): WalletError {
  return new WalletError('script.held', {}, true)
}

/** Time from which signing is offered, in `performance.now()` milliseconds; only `notNow` changes it. */
let offeredFromMs = 0
