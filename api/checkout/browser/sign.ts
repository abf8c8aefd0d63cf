import type { PageData, PagePayment } from '../page-data.ts'
import { askService, type Said } from './ask-service.ts'
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
const SUBMIT_WITHIN_MS = 45_000
const ASK_WITHIN_MS = 10_000

/** The service took none a moment ago: for so long a payer is asked to send as always, and offered it anew after that. */
const REST_MS = 60_000

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
  if (!isSignable || howToPay === null || performance.now() < offeredFromMs) return null
  if (await canPayFee(wallet.provider, from)) return null
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

async function prepareSigning(signing: Signing): Promise<Send> {
  const { data, till, wallet, payment, from } = signing
  const said = await requestAuthorizations(data.checkout.id, from)
  // Whoever has signed it: nobody is led to pay beside it before it is over, or he says that it was not him.
  if (said.type === 'no' && said.code === 'payment_in_progress')
    return Object.assign(() => Promise.reject(held()), { signed: { from, nonce: '', validBefore: 0 } })
  const asked = said.type === 'yes' ? said.body.authorizations.find((one) => isOf(one, payment)) : undefined
  if (asked === undefined) throw notNow()
  requireAsShown(data, payment, asked)
  const { nonce, validBefore } = asked.typedData.message
  const send = async () => {
    const signature = await sign(wallet.provider, { from, payment, asked })
    till.tell(...say(data, 'script.signed'))
    return submit(data, { asked, from, signature })
  }
  return Object.assign(send, { signed: { from, nonce, validBefore: Number(validBefore) } })
}

/**
 * Tells whether what was signed can no longer be carried out, and has not paid, unless the page shows it: its time is over by
 * the service's clock, and the service, which knows what the chain says of it, asks for another, or would if it could now.
 */
export async function hasLapsed({ checkout }: PageData, { from, validBefore }: Signed): Promise<boolean> {
  const said = await requestAuthorizations(checkout.id, from)
  if (said.type === 'nothing' || !(said.atMs >= validBefore * 1000)) return false
  return said.type === 'yes' || NOTHING_IN_FLIGHT.has(said.code)
}

/**
 * What keeps the service from asking for another signature, found only after nothing that was signed is in flight
 * (`planAuthorization`). The last also says that all has come: the page shows that.
 */
const NOTHING_IN_FLIGHT: ReadonlySet<string> = new Set([
  'signature_payment_unavailable',
  'payment_temporarily_unavailable',
  'charge_not_payable',
])

function requestAuthorizations(
  chargeId: string,
  payer: string,
): Promise<Said<{ readonly authorizations: readonly Asked[] }>> {
  return askService(`${chargeId}/authorization?payer=${payer}`, {}, ASK_WITHIN_MS)
}

function isOf(asked: Asked, { token, network }: PagePayment): boolean {
  return asked.token === token && asked.network === network
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
  if (!isAsShown) throw notNow()
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
 * @throws {Refusal} unless the service's own word is that it did not take it, the payment may be on its way
 */
async function submit(
  { checkout }: PageData,
  { asked, from, signature }: { readonly asked: Asked; readonly from: string; readonly signature: string },
): Promise<string> {
  const { token, network, typedData } = asked
  const { value, validAfter, validBefore, nonce } = typedData.message
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ network, token, from, value, validAfter, validBefore, nonce, signature }),
  }
  const said = await askService<Answer>(`${checkout.id}/authorization`, init, SUBMIT_WITHIN_MS)
  const hash = said.type === 'yes' ? said.body.authorization?.txHash : null
  if (hash) return hash
  throw said.type === 'no' ? refusedWith(said.code, token) : unclear()
}

type Answer = { readonly authorization?: { readonly txHash: string | null } | null }

/**
 * By these codes the service says that it sent nothing, and has kept nothing. Of any other, such as `payment_in_progress`,
 * `service_unavailable` or one that is new, a payment may be on its way.
 */
function refusedWith(code: string, token: string): Refusal {
  switch (code) {
    case 'insufficient_balance':
      return new Refusal('script.noBalance', { token })
    case 'authorization_invalid':
    case 'authorization_used':
      return new Refusal('script.notTaken')
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

/** Nothing was sent, and none is taken at the moment: the next click asks for a transfer as always. */
function notNow(): Refusal {
  offeredFromMs = performance.now() + REST_MS
  return new Refusal('script.noSigning')
}

/** Something that was signed may be on its way. */
function unclear(): Refusal {
  return new Refusal('script.unclear', {}, true)
}

/** Something that was signed elsewhere may be on its way. */
function held(): Refusal {
  return new Refusal('script.held', {}, true)
}

/** From then on, by the clock of the page; only `notNow` changes it. */
let offeredFromMs = 0
