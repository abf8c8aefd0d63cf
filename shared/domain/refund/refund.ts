import type { Address, ChainFamilyName, Hex } from '../address.ts'
import type { AtomicUnits, AttoDollars } from '../money.ts'
import type { Pair } from '../networks.ts'

/**
 * Progress of a refund. `awaiting_destination`: the payer has not given an address. `awaiting_approval`: the merchant
 * must approve the payer's address. `seen`: a quorum shows the refund's transfer, which is not at confirmation depth
 * yet. `confirmed` is final. A canceled or expired refund becomes confirmed if it is paid nevertheless.
 */
export const REFUND_STATUSES = [
  ...(['awaiting_destination', 'awaiting_approval', 'awaiting_payment', 'seen'] as const),
  ...(['confirmed', 'canceled', 'expired'] as const),
] as const

export type RefundStatus = (typeof REFUND_STATUSES)[number]

/** Returns whether a refund reserves its amount: it is neither confirmed, canceled nor expired. */
export function isOpenRefund(status: RefundStatus): boolean {
  return status !== 'confirmed' && status !== 'canceled' && status !== 'expired'
}

/** The merchant's reason, for their own records. It has no effect on the refund. */
export const REFUND_REASONS = [
  ...(['requested_by_customer', 'duplicate', 'overpayment', 'underpayment'] as const),
  ...(['late_payment', 'other'] as const),
] as const

export type RefundReason = (typeof REFUND_REASONS)[number]

/**
 * Money that a merchant returns to a payer from the merchant's own wallet. The service prepares and recognizes the
 * transfer, and never holds or sends it.
 */
export type RefundRecord = Pair & {
  /** `rf_…` */
  readonly id: string
  readonly chargeId: string
  readonly family: ChainFamilyName
  readonly status: RefundStatus
  readonly amountAtomic: AtomicUnits
  /**
   * The part that counts as refunded; `null` until the refund is confirmed. It is less than the amount if less was left
   * on the charge, because a credit was struck, or because other refunds used the amount after this refund was canceled
   * or had expired.
   */
  readonly countedAtomic: AtomicUnits | null
  readonly decimals: number
  /** `null` in the sandbox, as is `tokenAddress`. */
  readonly chainId: number | null
  readonly tokenAddress: Address | null
  /** The merchant's wallet, the only one from which a transfer counts. */
  readonly sender: Address
  /** `null` until the merchant has approved the payer's address. */
  readonly destination: Address | null
  /** The payer's claim; `null` if there is none, if it was rejected, or if the merchant named the address. */
  readonly claim: RefundClaim | null
  readonly reason: RefundReason
  readonly txHash: Hex | null
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly confirmedAt: Date | null
}

/** The address that the payer of a refund gave. The merchant must approve it. */
export type RefundClaim = {
  readonly destination: Address
  /** The account that signed the claim and had sent the amount before the declaration; `null` without a signature. */
  readonly signer: Address | null
  readonly claimedAt: Date
}

/** A refund as the Charge JSON shows it. */
export type ChargeRefund = Pair & {
  readonly id: string
  readonly status: RefundStatus
  readonly amountAtto: AttoDollars
  readonly countedAtto: AttoDollars
  readonly destination: Address | null
  readonly txHash: Hex | null
}

/** Days that a merchant has to pay a refund, by the database's clock. */
export const REFUND_DAYS = 30

/**
 * Maximum open and confirmed refunds of one charge when a refund is declared, including this refund. Canceled or
 * expired refunds that are paid nevertheless can exceed the number.
 */
export const MAX_REFUNDS_PER_CHARGE = 20

/** Maximum addresses that a payer can give for one refund: the first, and one after each rejection. */
export const MAX_CLAIMS_PER_REFUND = 20

/**
 * Number of canceled and expired refunds of one charge from which no further refund can be declared. Open refunds that
 * are then canceled or expire can exceed the number.
 */
export const MAX_ENDED_REFUNDS_PER_CHARGE = 200
