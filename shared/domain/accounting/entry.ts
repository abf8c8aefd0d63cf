import type { Address, Hex } from '../address.ts'
import type { AttoDollars } from '../money.ts'
import type { Pair } from '../networks.ts'

/**
 * Accounts of a merchant's books, as the merchant sees the money of a charge.
 *
 * - `clearing`: in the split and not distributed; `escrow`: in the Safe of an escrow charge
 * - `held`: in the split, because a recipient cannot be paid; `wallet`: paid to the merchant's own address
 * - `liability`: owed to the payer until it is earned or returned; `sales`: earned, at most the charge's amount
 * - `fee`: paid to the service; `incentive`: paid to the distributor; `share`: paid to a split recipient
 * - `rounding`: less than one unit of the token, which no split can pay out (Arc)
 * - `refunds`: earned before, and returned to payers out of the merchant's wallet
 * - `uncredited`: left the split, and `escrow_uncredited`: left the Safe, although it was never credited as a payment
 */
export const ACCOUNTS = [
  ...(['clearing', 'escrow', 'held', 'wallet', 'liability', 'sales'] as const),
  ...(['fee', 'incentive', 'share', 'rounding', 'refunds', 'uncredited', 'escrow_uncredited'] as const),
] as const

export type Account = (typeof ACCOUNTS)[number]

/** The categories of entries. */
export const ENTRY_CATEGORIES = [
  ...(['payment', 'sale', 'payout', 'hold', 'release', 'escrow_release', 'escrow_refund'] as const),
  ...(['refund', 'adjustment'] as const),
] as const

export type EntryCategory = (typeof ENTRY_CATEGORIES)[number]

/** One line of an entry: a positive amount debits the account, a negative one credits it. */
export type Leg = {
  readonly account: Account
  /** In units of 10^-18 of the token. */
  readonly amountAtto: AttoDollars
  /** The other party: sender, recipient or distributor. */
  readonly party: Address | null
}

/** Where an entry happened: a pair on its chain, or the sandbox, which has no chain. */
export type EntryPlace = Pair & {
  readonly chainId: number | null
  readonly tokenAddress: Address | null
  /** Decimals of the token. */
  readonly decimals: number
}

/** One double entry in one token. It is written once; a correction is a new entry. */
export type AccountingEntry = EntryPlace & {
  /** The same in every export and database: see `buildEntryId`. */
  readonly entryId: string
  readonly chargeId: string
  readonly category: EntryCategory
  /** The entry that an adjustment corrects. */
  readonly corrects: string | null
  readonly txHash: Hex | null
  readonly blockNumber: number | null
  /** Time of the block that moved the money; for an adjustment, the time at which it was recorded. */
  readonly postedAt: Date
  /** Time at which this service counted the row. */
  readonly countedAt: Date
  /** At least two, whose amounts add up to zero. */
  readonly legs: readonly Leg[]
}
