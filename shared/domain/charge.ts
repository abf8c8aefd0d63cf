import type { Address, ChainFamilyName, Hex } from './address.ts'
import type { Split } from './allocation.ts'
import type { PresentedAuthorization } from './eip3009/authorization-status.ts'
import type { EscrowAction } from './escrow-action.ts'
import type { AttoDollars, MicroDollars } from './money.ts'
import type { Environment, Pair } from './networks.ts'
import type { Percent } from './percent.ts'
import type { ChargeRefund } from './refund/refund.ts'

/** Payment progress of a charge. See the specification, "Charge `status`". */
export const CHARGE_STATUSES = ['pending', 'partially_paid', 'confirmed', 'expired', 'underpaid'] as const

export type ChargeStatus = (typeof CHARGE_STATUSES)[number]

/**
 * Returns whether a charge waits for payment until its deadline. The SQL form is `isOpen` of `shared/db/predicates.ts`.
 */
export function isOpen({ status }: { readonly status: ChargeStatus }): boolean {
  return status === 'pending' || status === 'partially_paid'
}

/**
 * Returns whether the credited amount exceeds the charge's amount. The SQL form is the column `charges.is_overpaid`.
 */
export function isOverpaid({ receivedAtto, targetAtto }: Received): boolean {
  return receivedAtto !== null && receivedAtto > targetAtto
}

type Received = { readonly receivedAtto: AttoDollars | null; readonly targetAtto: AttoDollars }

/** Progress of the payouts to the merchant. A charge without a queued payout has `null` instead. */
export const SETTLEMENT_STATUSES = ['pending', 'completed', 'failed'] as const

export type SettlementStatus = (typeof SETTLEMENT_STATUSES)[number]

/** Payout progress of one pair of a charge (the specification's SplitDistributionStatus). */
export const PAYOUT_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const

export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]

/** Source that found a transfer (the specification's TransactionSource). */
export const TRANSACTION_SOURCES = [
  'contract_watcher',
  'tron_watcher',
  'reconciliation_job',
  'sandbox',
] as const

export type TransactionSource = (typeof TRANSACTION_SOURCES)[number]

export const FEE_PAYERS = ['merchant', 'payer'] as const

export type FeePayer = (typeof FEE_PAYERS)[number]

/** A recipient in addition to merchant and treasury, fixed when the charge is created. */
export type SplitRecipient = {
  readonly address: Address
  /** The requested percent, as the original text of the JSON number. */
  readonly percentText: string
  readonly label?: string | undefined
}

/** The inputs of `splitAddress`, except for the salt, which is the hash of the charge's id. */
export type SplitTerms = Split & {
  /** The factory that creates the split. It is stored because the configuration might name another factory later. */
  readonly factory: Address
}

/** The escrow of a charge. */
export type Escrow = {
  readonly releaserAddress: Address
  readonly releasedAt: Date | null
  readonly refundedAt: Date | null
  /** The action that the releaser ordered through this service; `null` once the order is confirmed or has failed. */
  readonly pendingAction: EscrowAction | null
}

/** A charge as stored, with exact amounts and lowercase addresses. */
export type ChargeRecord = {
  readonly id: string
  readonly organizationId: string
  readonly apiKeyId: string | null
  readonly environment: Environment
  /** Whether the charge exists only in the sandbox and on no chain; fixed when the charge is created. */
  readonly isSimulated: boolean
  /** The chain family of all networks of the charge. */
  readonly family: ChainFamilyName
  readonly status: ChargeStatus
  readonly settlementStatus: SettlementStatus | null
  /** The amount that the payer must send, grossed up if the payer bears the fee. */
  readonly amountMicro: MicroDollars
  /** The sum of all credited transfers; `null` before the first credit. */
  readonly receivedAtto: AttoDollars | null
  readonly feePayer: FeePayer
  /** Fee in percent of the gross amount. */
  readonly feePercent: Percent
  /** The escrow surcharge, a part of `feePercent`; `null` without escrow. */
  readonly escrowFeePercent: Percent | null
  readonly acceptedPayments: readonly Pair[]
  /** Distinct pairs of credited transfers; empty before the first credit. */
  readonly paidWith: readonly Pair[]
  /** The address to which the payer sends the money: the split, or the Safe of an escrow charge. */
  readonly address: Address
  readonly splitAddress: Address
  readonly splitRecipients: readonly SplitRecipient[]
  readonly splitTerms: SplitTerms
  /** Transaction of the most recently detected transfer. */
  readonly txHash: Hex | null
  readonly externalRef: string | null
  readonly source: string | null
  /** One JSON object, as its original text. */
  readonly metadataText: string | null
  readonly redirectUrl: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly confirmedAt: Date | null
  readonly settledAt: Date | null
  /** Time of the last credited transfer, or `createdAt`. */
  readonly lastActivityAt: Date
  readonly escrow: Escrow | null
  /** The most recently accepted authorization. */
  readonly authorization: PresentedAuthorization | null
  /** Refunds that are confirmed or have not ended, oldest first. */
  readonly refunds: readonly ChargeRefund[]
}

/**
 * Returns the merchant's address in the split; `null` if fee and split recipients leave no share for the merchant.
 *
 * The merchant is the first recipient, unless their share is zero. A charge cannot be created with the merchant's
 * address as a split recipient. The SQL form is `isMerchantRecipient` of `shared/db/predicates.ts`.
 */
export function findMerchant(charge: Pick<ChargeRecord, 'splitTerms' | 'splitRecipients'>): Address | null {
  const [first] = charge.splitTerms.recipients
  const isMerchant = charge.splitRecipients.every(({ address }) => address !== first)
  return isMerchant && first !== undefined ? first : null
}
