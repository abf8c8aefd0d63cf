import type { CurrentCharge } from '../../../shared/db/charges/api/charges-read.ts'
import type { ChargeRecord } from '../../../shared/domain/charge.ts'
import { AppError, invariant } from '../../../shared/domain/errors.ts'
import { attoToAtomicCeil } from '../../../shared/domain/money.ts'
import { type Network, type Pair, pairKey, type Token } from '../../../shared/domain/networks.ts'
import { paymentUri } from '../../../shared/domain/payment-uri.ts'
import { requireAmountAsked } from '../require-amount-asked.ts'
import { renderQrCode } from './render-qr-code.ts'

/** The requested pair. Token, network or both may be missing. */
export type RequestedPair = { readonly token?: Token | undefined; readonly network?: Network | undefined }

/**
 * Renders, as SVG, the QR code with which a wallet pays the amount due now on one pair of a charge.
 *
 * @throws {AppError} `charge_not_payable`, `payment_pair_required`, `payment_pair_not_accepted`,
 * `payment_temporarily_unavailable`
 */
export function renderPaymentQrCode(current: CurrentCharge, requested: RequestedPair): string {
  const { charge, contracts, unavailablePayments } = current
  const asked = requireAmountAsked(current, current.readAt)
  const pair = choosePair(charge, requested)
  if (unavailablePayments.includes(pairKey(pair))) {
    const named = `${pair.token} on ${pair.network}`
    throw new AppError(
      'payment_temporarily_unavailable',
      `${charge.id} cannot be paid with ${named} at the moment`,
    )
  }
  const contract = contracts.get(pairKey(pair))
  invariant(contract !== undefined, `${charge.id} accepts a pair with an unknown contract`)
  const { family, address: recipient } = charge
  const amountAtomic = attoToAtomicCeil(asked, contract.decimals)
  return renderQrCode(paymentUri({ ...contract, family, recipient, amountAtomic }))
}

/** Returns the only accepted pair that matches the request. */
function choosePair({ id, acceptedPayments }: ChargeRecord, { token, network }: RequestedPair): Pair {
  const onNetwork = acceptedPayments.filter((pair) => network === undefined || pair.network === network)
  const matching = onNetwork.filter((pair) => token === undefined || pair.token === token)
  const [pair] = matching
  if (pair === undefined) {
    const named = [token ?? 'any token', network ?? 'any network'].join(' on ')
    const param = onNetwork.length === 0 ? 'network' : 'token'
    throw new AppError('payment_pair_not_accepted', `${id} does not accept ${named}`, { param })
  }
  if (matching.length > 1) {
    const param = token === undefined ? 'token' : 'network'
    const message = `${id} accepts ${matching.length} such pairs; name token and network`
    throw new AppError('payment_pair_required', message, { param })
  }
  return pair
}
