import type { Address, ChainFamilyName, Hex } from '../address.ts'
import type { AtomicUnits, AttoDollars } from '../money.ts'
import type { Pair } from '../networks.ts'

/**
 * Progress of a refund. `awaiting_destination`: the payer has not given an address. `awaiting_approval`: the payer has
 * given an address, and the merchant must approve it. `seen`: a quorum shows its transfer, which is not at confirmation
 * depth yet. `confirmed` is final; a canceled or expired refund becomes confirmed if it is paid nevertheless.
 */
export const REFUND_STATUSES = [
  ...(['awaiting_destination', 'awaiting_approval', 'awaiting_payment', 'seen'] as const),
  ...(['confirmed', 'canceled', 'expired'] as const),
] as const

export type RefundStatus = (typeof REFUND_STATUSES)[number]

/** Returns whether a refund reserves its amount: it has neither ended nor been confirmed. */
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
   * The part that counts as refunded; `null` until the refund is confirmed. It is less than the amount if the charge's
   * remaining amount was smaller. This happens if the refund was paid after its cancellation or expiry, when other
   * refunds had used up the rest, or if a counted payment was struck.
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
  /** The payer's claim, unless it was rejected; `null` without a claim, and if the merchant named the address. */
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
  /** An account that had sent at least the amount before the declaration, and signed the claim; `null` without a signature. */
  readonly signer: Address | null
  readonly claimedAt: Date
}

/** A refund as its charge shows it. */
export type ChargeRefund = Pair & {
  readonly id: string
  readonly status: RefundStatus
  readonly amountAtto: AttoDollars
  readonly countedAtto: AttoDollars
  readonly destination: Address | null
  readonly txHash: Hex | null
}

/** Time that a merchant has to pay a refund; it expires by the database's clock. */
export const REFUND_DAYS = 30

/**
 * Maximum open and confirmed refunds of one charge, including the refund that is being declared. A canceled or expired
 * refund that is paid nevertheless can exceed this number.
 */
export const MAX_REFUNDS_PER_CHARGE = 20

/** Maximum addresses that a payer can give for one refund: the first, and one after each rejection. */
export const MAX_CLAIMS_PER_REFUND = 20

/**
 * Maximum canceled and expired refunds of one charge. No further refund can be declared for a charge that has this
 * many. Its open refunds can still be canceled or expire, and can exceed the number.
 */
export const MAX_ENDED_REFUNDS_PER_CHARGE = 200
