import type { Address, AddressFamily, Hex } from './address.ts'
import type { Split } from './allocation.ts'
import type { ShownAuthorization } from './authorization-status.ts'
import type { EscrowAction } from './escrow-action.ts'
import type { AttoDollars, MicroDollars } from './money.ts'
import type { Environment, Pair } from './networks.ts'
import type { Percent } from './percent.ts'

/** How much of a charge has been paid. See the specification, "Charge `status`". */
export const CHARGE_STATUSES = ['pending', 'partially_paid', 'confirmed', 'expired', 'underpaid'] as const

export type ChargeStatus = (typeof CHARGE_STATUSES)[number]

/** Tells whether a charge still waits for money and for its deadline; in SQL `isOpen` of `shared/db/laws.ts`. */
export function isOpen({ status }: { readonly status: ChargeStatus }): boolean {
  return status === 'pending' || status === 'partially_paid'
}

/** Tells whether more was credited than the charge asks for; in SQL the column `charges.is_overpaid`. */
export function isOverpaid({ receivedAtto, targetAtto }: Received): boolean {
  return receivedAtto !== null && receivedAtto > targetAtto
}

type Received = { readonly receivedAtto: AttoDollars | null; readonly targetAtto: AttoDollars }

/** Whether the merchant has his money; `null` besides, while no payout was queued. */
export const SETTLEMENT_STATUSES = ['pending', 'completed', 'failed'] as const

export type SettlementStatus = (typeof SETTLEMENT_STATUSES)[number]

/** How far the payout of one pair of a charge is (the specification's SplitDistributionStatus). */
export const PAYOUT_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const

export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]

/** Who found a transfer (the specification's TransactionSource). */
export const TRANSACTION_SOURCES = [
  'contract_watcher',
  'tron_watcher',
  'reconciliation_job',
  'sandbox',
] as const

export type TransactionSource = (typeof TRANSACTION_SOURCES)[number]

/** Who bears the fee. */
export const FEE_PAYERS = ['merchant', 'payer'] as const

export type FeePayer = (typeof FEE_PAYERS)[number]

/** One extra recipient, frozen when the charge was made. */
export type SplitRecipient = {
  readonly address: Address
  /** The requested percent, as the JSON number text it was. */
  readonly percentText: string
  readonly label?: string | undefined
}

/** What `splitAddress` commits to, besides the salt that is the hash of the charge's id. */
export type SplitTerms = Split & {
  /** The factory it was predicted for; kept, because configuration may name another one later. */
  readonly factory: Address
}

/** The custody of an escrow charge. */
export type Escrow = {
  readonly releaserAddress: Address
  readonly releasedAt: Date | null
  readonly refundedAt: Date | null
  /** What the releaser has ordered here, until that is at depth or has ended otherwise. */
  readonly pendingAction: EscrowAction | null
}

/** A charge as it is stored; amounts exact, addresses lowercase. */
export type ChargeRecord = {
  readonly id: string
  readonly organizationId: string
  readonly apiKeyId: string | null
  readonly environment: Environment
  /** On no chain, which its creation decided: only the sandbox makes anything happen to it. */
  readonly isSimulated: boolean
  /** The family of all its networks. */
  readonly family: AddressFamily
  readonly status: ChargeStatus
  readonly settlementStatus: SettlementStatus | null
  /** What the payer must send, grossed up if he bears the fee. */
  readonly amountMicro: MicroDollars
  /** The sum of all credited transfers; `null` until the first. */
  readonly receivedAtto: AttoDollars | null
  readonly feePayer: FeePayer
  /** Percent of the gross amount, escrow surcharge included. */
  readonly feePercent: Percent
  /** The surcharge alone; `null` without escrow. */
  readonly escrowFeePercent: Percent | null
  readonly acceptedPayments: readonly Pair[]
  /** Distinct pairs of credited transfers; empty until the first. */
  readonly paidWith: readonly Pair[]
  /** Where the payer sends: the split, or the Safe of an escrow charge. */
  readonly address: Address
  readonly splitAddress: Address
  readonly splitRecipients: readonly SplitRecipient[]
  readonly splitTerms: SplitTerms
  /** The most recent detected transfer. */
  readonly txHash: Hex | null
  readonly externalRef: string | null
  readonly source: string | null
  /** One JSON object, as the very text it was sent as. */
  readonly metadataText: string | null
  readonly redirectUrl: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly confirmedAt: Date | null
  readonly settledAt: Date | null
  /** The last credited transfer, or `createdAt`. */
  readonly lastActivityAt: Date
  readonly escrow: Escrow | null
  /** The payer's signature that was taken last. */
  readonly authorization: ShownAuthorization | null
}

/**
 * Answers whom the split pays as the merchant; `null` if nothing was left for him beside fee and split recipients.
 *
 * He stands first, and whoever has nothing is left out. A split recipient is never his address: creation refuses it. In
 * SQL `isMerchants` of `shared/db/laws.ts`.
 */
export function merchantOf(charge: Pick<ChargeRecord, 'splitTerms' | 'splitRecipients'>): Address | null {
  const [first] = charge.splitTerms.recipients
  const isMerchant = charge.splitRecipients.every(({ address }) => address !== first)
  return isMerchant && first !== undefined ? first : null
}
