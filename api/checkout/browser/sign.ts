import type { PageData, PagePayment } from '../page-data.ts'
import { ask, codeOf, messageOf, Refusal, refusalOf } from './ask-wallet.ts'
import { button, say } from './page.ts'
import type { Till } from './pay.ts'
import type { Wallet } from './wallets.ts'
import type { Provider, Send, Signed } from './way.ts'

/** What is to be paid, by whom. */
type Signing = {
  readonly data: PageData
  readonly till: Pick<Till, 'tell' | 'untilAgreed'>
  readonly wallet: Wallet
  readonly payment: PagePayment
  readonly from: string
}

/** What the service has a payer sign: as much as is used here. */
type Asked = {
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

/** A plain transfer to an address that never held the token takes 62,147 (measured on USDC); fees move meanwhile. */
const TRANSFER_GAS = 80_000n

/** The service answers within half a minute; a line may be slow. */
const WITHIN_MS = 45_000

/**
 * Offers to pay by a signature alone, where the wallet's own coin does not do for the network's fee and the service takes
 * one; says first what is signed.
 *
 * @returns `null` where the payer is to send as always
 */
export async function offerSigning(signing: Signing): Promise<Send | null> {
  const { data, till, wallet, payment, from } = signing
  const { payBySignature, howToPay } = data.checkout
  const isSignable = payBySignature.some(
    ({ token, network }) => token === payment.token && network === payment.network,
  )
  if (!isSignable || howToPay === null || (await canPayFee(wallet.provider, from))) return null
  const values = { amount: payment.amount, token: payment.token, address: howToPay.address }
  const choice = { isSigned: true }
  await till.untilAgreed((goOn) => [
    ...say(data, 'script.noFee', values),
    ' ',
    button(say(data, 'script.goSign'), goOn),
    ' ',
    button(
      say(data, 'script.goSend'),
      () => {
        choice.isSigned = false
        goOn()
      },
      'secondary',
    ),
  ])
  till.tell(...say(data, 'script.asking'))
  return choice.isSigned ? prepareSigning(signing) : null
}

/** A wallet that does not say is taken to have enough: it is the one to know. */
async function canPayFee(provider: Provider, from: string): Promise<boolean> {
  try {
    const [balance, price] = await Promise.all([
      ask(provider, 'eth_getBalance', [from, 'latest']),
      ask(provider, 'eth_gasPrice'),
    ])
    return BigInt(String(balance)) >= BigInt(String(price)) * TRANSFER_GAS
  } catch {
    return true
  }
}

async function prepareSigning({ data, wallet, payment, from }: Signing): Promise<Send> {
  const asked = await requestTypedData(data, payment, from)
  requireAsShown(data, payment, asked)
  const { nonce, validBefore } = asked.typedData.message
  const send = async () => {
    const signature = await sign(wallet.provider, { from, payment, asked })
    return submit(data, { asked, from, signature })
  }
  return Object.assign(send, { signed: { from, nonce, validBefore: Number(validBefore) } })
}

/**
 * Tells whether what was signed can no longer be carried out, and was not: its time is over, and the service, which knows
 * what the chain says of it, asks for another.
 */
export async function hasLapsed({ checkout }: PageData, { from, validBefore }: Signed): Promise<boolean> {
  if (Date.now() < validBefore * 1000) return false
  return (await requestAuthorizations(checkout.id, from)) !== null
}

async function requestTypedData({ checkout }: PageData, payment: PagePayment, payer: string): Promise<Asked> {
  const authorizations = (await requestAuthorizations(checkout.id, payer)) ?? []
  const asked = authorizations.find(
    ({ token, network }) => token === payment.token && network === payment.network,
  )
  if (asked === undefined) throw new Refusal('script.noSigning')
  return asked
}

/** What may be signed now; `null` where nothing may. */
async function requestAuthorizations(chargeId: string, payer: string): Promise<readonly Asked[] | null> {
  const response = await fetch(`${chargeId}/authorization?payer=${payer}`, {
    signal: AbortSignal.timeout(10_000),
  }).catch(() => null)
  if (!response?.ok) return null
  const { authorizations } = (await response.json()) as { readonly authorizations: readonly Asked[] }
  return authorizations.length === 0 ? null : authorizations
}

/** What the payer was shown is what he signs: of this token, on this chain, this amount to this address. */
function requireAsShown({ checkout }: PageData, payment: PagePayment, { typedData }: Asked): void {
  const { domain, message } = typedData
  const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
  const isAsShown =
    domain.chainId === payment.chainId &&
    isSame(domain.verifyingContract, payment.tokenAddress) &&
    isSame(message.to, checkout.howToPay?.address ?? '') &&
    message.value === payment.amountAtomic
  if (!isAsShown) throw new Refusal('script.noSigning')
}

/** Has the account that was asked for sign, on the chain that was asked for; some wallets sign for no other than theirs. */
async function sign(
  provider: Provider,
  { from, payment, asked }: { readonly from: string; readonly payment: PagePayment; readonly asked: Asked },
): Promise<string> {
  const accounts = (await ask(provider, 'eth_accounts')) as readonly string[]
  if (accounts[0]?.toLowerCase() !== from.toLowerCase()) throw new Refusal('script.changed')
  if (Number(await ask(provider, 'eth_chainId')) !== payment.chainId)
    throw new Refusal('script.noNetwork', { network: payment.chain?.name ?? payment.network })
  const params = [from, JSON.stringify(asked.typedData)]
  try {
    return String(await provider.request({ method: 'eth_signTypedData_v4', params }))
  } catch (error) {
    const refusal = refusalOf(error)
    // Nobody has the signature but the wallet.
    throw refusal.phrase === 'script.error' && codeOf(error) !== undefined
      ? new Refusal('script.unsigned', { message: messageOf(error) })
      : refusal
  }
}

/**
 * Hands the signature to the service, and answers the hash of what carries it out.
 *
 * @throws {Refusal} unless it says that it did not take it, the payment may be on its way
 */
async function submit(
  { checkout }: PageData,
  { asked, from, signature }: { readonly asked: Asked; readonly from: string; readonly signature: string },
): Promise<string> {
  const { token, network, typedData } = asked
  const { value, validAfter, validBefore, nonce } = typedData.message
  const response = await fetch(`${checkout.id}/authorization`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ network, token, from, value, validAfter, validBefore, nonce, signature }),
    signal: AbortSignal.timeout(WITHIN_MS),
  }).catch(() => null)
  const answer = (await response?.json().catch(() => null)) as Answer | null | undefined
  const hash = answer?.authorization?.txHash
  if (hash) return hash
  const isRefused = response !== null && REFUSED.has(response.status)
  throw new Refusal(isRefused ? 'script.noSigning' : 'script.signed', {}, !isRefused)
}

type Answer = { readonly authorization?: { readonly txHash: string | null } | null }

/** With these the service says that it did not take it; 409 says that it has another one. */
const REFUSED: ReadonlySet<number> = new Set([400, 404, 413, 415, 422, 429])
