import { compareDecimals, formatDecimal, parseDecimal, truncateTo } from '../decimal.ts'
import { AppError } from '../errors.ts'
import { type AtomicUnits, type AttoDollars, atomic, atto, attoToAtomicFloor } from '../money.ts'

/** The amount that a charge received on one pair, and the sums of its refunds. */
export type RefundBasis = {
  readonly receivedAtomic: AtomicUnits
  /** The sum of the open refunds: not confirmed, and never canceled or expired. */
  readonly openAtomic: AtomicUnits
  /** The sum of the canceled or expired refunds whose transfer was seen nevertheless, but is not confirmed. */
  readonly lateAtomic: AtomicUnits
  /** The sum of the counted parts of confirmed refunds. */
  readonly countedAtomic: AtomicUnits
}

/** The amount in a request, in the form of `REFUND_AMOUNT`. */
export type RequestedRefundAmount = string

/**
 * The form of a requested amount: a decimal with at most 18 fractional digits, the maximum of any token; `all` for the
 * remaining amount; or `overpayment` for the part that exceeds the charge's amount.
 */
export const REFUND_AMOUNT = /^(all|overpayment|(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?)$/

/**
 * Returns the maximum amount of a new refund: the received amount less open, late and counted refunds, or zero if a
 * struck credit or a late refund makes this difference negative.
 */
export function getRefundable(basis: RefundBasis): AtomicUnits {
  return atomic(atLeastZero(getLeft(basis) - basis.lateAtomic))
}

/** Returns the received amount less open and counted refunds, which can be negative. */
function getLeft({ receivedAtomic, openAtomic, countedAtomic }: RefundBasis): bigint {
  return receivedAtomic - openAtomic - countedAtomic
}

function atLeastZero(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}

/**
 * Returns the part of a paid refund that counts: at most the received amount less open and counted refunds. A refund
 * that is paid after its cancellation or expiry therefore does not reduce the amounts that open refunds reserve.
 *
 * @param basis - the sums without the refund itself
 */
export function getCountedPart(amountAtomic: AtomicUnits, basis: RefundBasis): AtomicUnits {
  const left = atomic(atLeastZero(getLeft(basis)))
  return amountAtomic < left ? amountAtomic : left
}

/** The inputs that determine the amount of a refund. */
export type RefundTerms = {
  readonly basis: RefundBasis
  readonly decimals: number
  /** The charge's overpayment on all pairs, less its open and counted refunds; zero or negative if none is left. */
  readonly excessAtto: AttoDollars
}

/**
 * Returns the exact amount of a refund.
 *
 * @throws {AppError} `nothing_received` if nothing is left to refund, or no overpayment for the request `overpayment`;
 * `refund_exceeds_received`, with both amounts in the message; `validation_error`, param `amount`, for a text that is
 * not a positive decimal or has more fractional digits than the token, because a payout must not be truncated
 */
export function planRefundAmount(requested: RequestedRefundAmount, terms: RefundTerms): AtomicUnits {
  const refundable = getRefundable(terms.basis)
  if (refundable === 0n) throw new AppError('nothing_received', 'nothing is left to refund on this pair')
  if (requested === 'all') return refundable
  if (requested === 'overpayment') return requireExcess(refundable, terms)
  const amount = parseAtomic(requested, terms.decimals)
  if (amount <= refundable) return amount
  const [asked, left] = [amount, refundable].map((units) => formatDecimal(units, terms.decimals))
  throw new AppError('refund_exceeds_received', `${asked} exceeds the refundable amount ${left}`, {
    param: 'amount',
  })
}

function requireExcess(refundable: AtomicUnits, { decimals, excessAtto }: RefundTerms): AtomicUnits {
  const excess = excessAtto > 0n ? attoToAtomicFloor(atto(excessAtto), decimals) : 0n
  if (excess === 0n) throw new AppError('nothing_received', 'the charge has no overpayment left to refund')
  return atomic(excess < refundable ? excess : refundable)
}

function parseAtomic(text: string, decimals: number): AtomicUnits {
  const decimal = parseDecimal(text)
  const zero = { digits: 0n, scale: 0 }
  if (decimal === null || compareDecimals(decimal, zero) <= 0)
    throw createAmountError('amount is not a positive decimal number')
  if (decimal.scale > decimals) throw createAmountError(`amount has more than ${decimals} fractional digits`)
  return atomic(truncateTo(decimal, decimals))
}

function createAmountError(message: string): AppError {
  return new AppError('validation_error', message, { param: 'amount' })
}
