import { createHash } from 'node:crypto'
import { type ChargeRow, toChargeRecord } from '../../shared/db/charges/charge-row.ts'
import type { PaidPair } from '../../shared/db/refunds/paid-pairs.ts'
import type { RefundDeclaration } from '../../shared/db/refunds/refund-requests.ts'
import type { Address } from '../../shared/domain/address.ts'
import { findMerchant, isOpen } from '../../shared/domain/charge.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { isDust } from '../../shared/domain/minimum-payout.ts'
import { type AtomicUnits, type AttoDollars, atto, microToAtto } from '../../shared/domain/money.ts'
import { pairKey } from '../../shared/domain/networks.ts'
import { type ChargeRefund, isOpenRefund } from '../../shared/domain/refund/refund.ts'
import { getRefundable, planRefundAmount } from '../../shared/domain/refund/refund-limits.ts'

/**
 * Requires that the merchant can refund the money of a charge.
 *
 * @throws {AppError} `charge_still_open` while a payment could still complete the charge; `escrow_not_released`;
 * `nothing_received`
 */
export function requireRefundable(charge: ChargeRow, pairs: readonly PaidPair[]): void {
  if (isOpen(charge)) throw new AppError('charge_still_open', `${charge.id} is still waiting for payment`)
  const isHeld =
    charge.escrowReleaser !== null && charge.escrowReleasedAt === null && charge.escrowRefundedAt === null
  if (isHeld)
    throw new AppError(
      'escrow_not_released',
      `the escrow of ${charge.id} is not released; refund the payment out of the escrow`,
    )
  if (pairs.length === 0) throw new AppError('nothing_received', `${charge.id} received no payment`)
}

/**
 * Chooses the pair of a refund: the only pair on which the charge was paid, or the pair that the request names.
 *
 * @throws {AppError} `payment_pair_required` if several paid pairs match; `nothing_received` if none does
 */
export function choosePair(
  pairs: readonly PaidPair[],
  { token, network }: Pick<RefundDeclaration, 'token' | 'network'>,
): PaidPair {
  const matching = pairs.filter(
    (pair) => (token ?? pair.token) === pair.token && (network ?? pair.network) === pair.network,
  )
  const [first] = matching
  if (first === undefined) throw new AppError('nothing_received', 'the charge was not paid on this pair')
  // A test charge can be paid on a testnet and in the sandbox. `pairs` then contains the same pair twice.
  if (matching.every((pair) => pairKey(pair) === pairKey(first)))
    return matching.find((pair) => getRefundable(pair) > 0n) ?? first
  throw new AppError(
    'payment_pair_required',
    'the charge was paid on several pairs; name token and network',
    {
      param: token === null ? 'token' : 'network',
    },
  )
}

/**
 * Returns the amount of a refund.
 *
 * @param terms.minimumAtto - the minimum payout of the network; only the whole refundable amount may be smaller
 * @throws {AppError} the errors of `planRefundAmount`; `invalid_amount` below the minimum
 */
export function planAmount(
  { amount }: Pick<RefundDeclaration, 'amount'>,
  terms: { readonly charge: ChargeRow; readonly pair: PaidPair; readonly minimumAtto: AttoDollars },
): AtomicUnits {
  const { charge, pair, minimumAtto } = terms
  const { decimals } = pair
  const planned = planRefundAmount(amount, { basis: pair, decimals, excessAtto: getExcess(charge) })
  const isTooSmall = planned < getRefundable(pair) && isDust(planned, { decimals, minimumAtto })
  if (isTooSmall)
    throw new AppError('invalid_amount', `the refund is below the minimum payout of ${pair.network}`, {
      param: 'amount',
    })
  return planned
}

/** Returns the charge's overpayment less its open and counted refunds, which can be negative. */
function getExcess(row: ChargeRow): AttoDollars {
  const { receivedAtto, amountMicro, refunds } = toChargeRecord(row)
  const taken = refunds.reduce((sum, refund) => sum + getTaken(refund), 0n)
  return atto((receivedAtto ?? 0n) - microToAtto(amountMicro) - taken)
}

function getTaken({ status, amountAtto, countedAtto }: ChargeRefund): bigint {
  return isOpenRefund(status) ? amountAtto : countedAtto
}

/**
 * Returns the wallet that pays a refund: the wallet that the request names, or the charge's merchant address.
 *
 * @throws {AppError} `validation_error`, param `from`, if the charge does not pay a merchant and the request names no
 * wallet
 */
export function chooseSender(charge: ChargeRow, { from }: Pick<RefundDeclaration, 'from'>): Address {
  const sender = from ?? findMerchant(charge)
  if (sender !== null) return sender
  throw new AppError(
    'validation_error',
    'the charge does not pay a merchant; name the wallet that pays the refund',
    {
      param: 'from',
    },
  )
}

/**
 * Returns a digest for recognizing a repeated declaration. The digest does not cover the secret of the payer's link,
 * and is equal for the amounts `5.0` and `5`.
 */
export function hashDeclaration(declaration: RefundDeclaration): string {
  const { token, network, from, destination, reason } = declaration
  const amount = declaration.amount.replace(/(\.[0-9]*?)0+$/, '$1').replace(/\.$/, '')
  return createHash('sha256')
    .update(JSON.stringify([amount, token, network, from, destination, reason]))
    .digest('hex')
}
