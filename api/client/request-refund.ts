import type { Address, Hex } from '../../shared/domain/address.ts'
import { findAddressFamily, parseAddress } from '../../shared/domain/chain-families/chain-families.ts'
import { parseDecimal, truncateTo } from '../../shared/domain/decimal.ts'
import { atomic } from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { presentRefundPayment } from '../../shared/domain/refund/refund-payment.ts'
import { type ApiClient, requireData } from './client.ts'
import { findDifference } from './find-difference.ts'
import type { Schema } from './schema.ts'

/**
 * Thrown if the response is not the requested refund. The message states the difference. The caller must send no money.
 */
export class RefundMismatch extends Error {}

/** A token that the caller trusts although it is not in the built-in registry. */
export type RefundToken = { readonly chainId: number; readonly address: string; readonly decimals: number }

export type WantedRefund = {
  readonly chargeId: string
  /** The environment of the API key. */
  readonly environment: Schema<'Environment'>
  readonly body: Schema<'CreateRefund'>
  readonly token?: RefundToken | undefined
}

/**
 * Declares a refund, and returns it with the transfer to send, `payment`. The transfer is rebuilt from the caller's
 * address and amount, and equals the transfer that the service prepared.
 *
 * If the amount is `all` or `overpayment`, the service chooses it, so check `amountExact` before you send the transfer.
 *
 * @returns `payment` is `null` for a simulated payment, for a refund that does not await its payment, and if the payer
 * will give the address at `claimUrl`
 * @throws {RefundMismatch} if the service returned another refund or prepared another transfer
 * @throws {ApiError} `refund_exceeds_received` and the other errors of the endpoint
 */
export async function requestRefund(
  api: ApiClient,
  wanted: WantedRefund,
): Promise<{ readonly refund: Schema<'RefundWithLink'>; readonly payment: Schema<'RefundPayment'> | null }> {
  const path = { id: wanted.chargeId }
  const { body } = wanted
  const refund = await requireData(api.POST('/v1/charges/{id}/refunds', { params: { path }, body }))
  return { refund, payment: checkRefund(wanted, refund) }
}

export type WantedApproval = Omit<WantedRefund, 'body'> & {
  /** Values that the declared refund must have. Omitted fields are not compared. */
  readonly terms?: Pick<Schema<'CreateRefund'>, 'token' | 'network' | 'from'>
  readonly refundId: string
  /** The payer's address. A person must have compared it with the payer's own message. */
  readonly address: string
  /** The declared amount. `all` or `overpayment` accepts the amount that the service chose. */
  readonly amount: string
}

/**
 * Approves the address that the payer gave for their refund. Returns the refund with the transfer to send, which is
 * rebuilt from this address and amount.
 *
 * @throws {RefundMismatch} before the approval, if the refund has another charge, pair or wallet; after it, if the
 * service prepared another transfer
 * @throws {ApiError} `refund_address_mismatch` if the payer gave another address, and the other errors of the endpoint
 */
export async function approveRefund(
  api: ApiClient,
  { refundId, address, amount, terms, ...wanted }: WantedApproval,
): Promise<{ readonly refund: Schema<'Refund'>; readonly payment: Schema<'RefundPayment'> | null }> {
  const path = { id: refundId }
  const body = { ...terms, amount, destination: { address }, idempotencyKey: refundId }
  requireTerms({ ...wanted, body }, await readRefund(api, refundId))
  const refund = await requireData(
    api.POST('/v1/refunds/{id}/approve', { params: { path }, body: { address } }),
  )
  return { refund, payment: checkRefund({ ...wanted, body }, refund) }
}

/**
 * Rejects the address that the payer gave for their refund. Returns the refund with a new link for the payer.
 *
 * @throws {RefundMismatch} if the refund belongs to another charge
 * @throws {ApiError} `refund_not_awaiting_approval` and the other errors of the endpoint
 */
export async function rejectClaim(
  api: ApiClient,
  { chargeId, refundId }: Pick<WantedApproval, 'chargeId' | 'refundId'>,
): Promise<Schema<'RefundWithLink'>> {
  const known = await readRefund(api, refundId)
  requireSame('charge', { expected: chargeId, found: known.chargeId })
  return requireData(api.POST('/v1/refunds/{id}/reject', { params: { path: { id: refundId } } }))
}

function readRefund(api: ApiClient, id: string): Promise<Schema<'Refund'>> {
  return requireData(api.GET('/v1/refunds/{id}', { params: { path: { id } } }))
}

/**
 * Returns the transfer of a refund, rebuilt from checked values; `null` if there is no transfer to send. Pure.
 *
 * @throws {RefundMismatch} if the refund or its transfer differs from the request
 */
export function checkRefund(wanted: WantedRefund, refund: Schema<'Refund'>): Schema<'RefundPayment'> | null {
  const { body } = wanted
  requireTerms(wanted, refund)
  const named = body.destination.address
  // The payer gives the address, so no transfer exists until the caller approves this address with `approveRefund`.
  if (named === undefined) return null
  const destination = readAddress('the destination', named)
  requireSame('destination', {
    expected: destination,
    found: readAddress('the returned destination', refund.destination ?? 'missing'),
  })
  const { payment } = refund
  if (payment === null) return null
  const token = findToken(wanted, refund)
  const amountAtomic = readAmount(body.amount, { refund, decimals: token.decimals })
  const rebuilt = presentRefundPayment({
    ...{ chainId: token.chainId, tokenAddress: readAddress('the token', token.address) },
    ...{ decimals: token.decimals, destination, amountAtomic },
    family: requireFamily(named),
  })
  const ours = { ...rebuilt, data: rebuilt.data as Hex }
  const difference = findDifference(ours, payment)
  if (difference !== null) throw new RefundMismatch(difference)
  return ours
}

function requireTerms(
  { chargeId, body }: WantedRefund,
  { from, token, network, ...refund }: Schema<'Refund'>,
) {
  requireSame('charge', { expected: chargeId, found: refund.chargeId })
  requireSame('token', { expected: body.token ?? token, found: token })
  requireSame('network', { expected: body.network ?? network, found: network })
  if (body.from === undefined) return
  const expected = readAddress('the wallet', body.from)
  requireSame('wallet', { expected, found: readAddress('the returned wallet', from) })
}

function findToken(wanted: WantedRefund, { token, network }: Schema<'Refund'>): RefundToken {
  const { environment } = wanted
  if (wanted.token !== undefined) return wanted.token
  const deployment = REGISTRY[network][environment]
  const facts = deployment?.tokens[token]
  if (deployment && facts)
    return { chainId: deployment.chainId, address: facts.address, decimals: facts.decimals }
  throw new RefundMismatch(
    `the contract of ${token} on ${network} (${environment}) is unknown: pass the token if you trust it`,
  )
}

/** For `all` and `overpayment`, returns the amount that the service chose. */
function readAmount(
  text: string,
  { refund, decimals }: { readonly refund: Schema<'Refund'>; readonly decimals: number },
) {
  const isOpen = text === 'all' || text === 'overpayment'
  const decimal = parseDecimal(isOpen ? refund.amountExact : text)
  if (decimal === null || decimal.scale > decimals || decimal.digits <= 0n)
    throw new RefundMismatch(
      `the amount ${isOpen ? refund.amountExact : text} is not a positive number with at most ${decimals} decimals`,
    )
  return atomic(truncateTo(decimal, decimals))
}

function readAddress(name: string, text: string): Address {
  const address = parseAddress(text)
  if (address === null) throw new RefundMismatch(`${name} is ${text}, not an address`)
  return address
}

function requireFamily(text: string) {
  const family = findAddressFamily(text)
  if (family === null) throw new RefundMismatch(`the destination is ${text}, not an address`)
  return family
}

function requireSame(
  name: string,
  { expected, found }: { readonly expected: string; readonly found: string },
): void {
  if (expected !== found)
    throw new RefundMismatch(`the service returned the ${name} ${found}; expected ${expected}`)
}
