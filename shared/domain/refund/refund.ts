import type { Address, ChainFamilyName, Hex } from '../address.ts'
import type { AtomicUnits, AttoDollars } from '../money.ts'
import type { Pair } from '../networks.ts'

/**
 * Progress of a refund. `seen`: a quorum shows its transfer above confirmation depth. `confirmed` is final; a canceled
 * or expired refund becomes confirmed if it is paid nevertheless.
 */
export const REFUND_STATUSES = ['awaiting_payment', 'seen', 'confirmed', 'canceled', 'expired'] as const

export type RefundStatus = (typeof REFUND_STATUSES)[number]

/** The merchant's reason, for their own records. It decides nothing. */
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
   * The part that counts as refunded; `null` until the refund is confirmed. It is less than the amount only if a
   * canceled or expired refund was paid although the charge had no such amount left.
   */
  readonly countedAtomic: AtomicUnits | null
  readonly decimals: number
  /** `null` in the sandbox, like the token. */
  readonly chainId: number | null
  readonly tokenAddress: Address | null
  /** The merchant's wallet, the only one from which a transfer counts. */
  readonly sender: Address
  readonly destination: Address
  readonly reason: RefundReason
  readonly txHash: Hex | null
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly confirmedAt: Date | null
}

/** A refund as its charge shows it. */
export type ChargeRefund = Pair & {
  readonly id: string
  readonly status: RefundStatus
  readonly amountAtto: AttoDollars
  readonly countedAtto: AttoDollars
  readonly destination: Address
  readonly txHash: Hex | null
}

/** Time that a merchant has to pay a refund; it expires by the database's clock. */
export const REFUND_DAYS = 30

/** Maximum refunds of one charge that are open or confirmed. */
export const MAX_REFUNDS_PER_CHARGE = 20

/** Maximum refunds of one charge that were canceled or have expired. */
export const MAX_ENDED_REFUNDS_PER_CHARGE = 200
